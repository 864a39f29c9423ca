#!/usr/bin/env node
import { runCli } from './run-cli.ts';
import { processTerminal } from './terminal.ts';

process.exitCode = await runCli(processTerminal(), process.argv.slice(2));
