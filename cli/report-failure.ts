import { CommanderError } from 'commander';
import { Problem } from '#contract/errors.ts';
import { TouchstoneError } from '#sdk/touchstone-error.ts';
import { writeJson } from './context.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { PathError } from './load/find-card-files.ts';
import { printable } from './output/printable.ts';
import type { Terminal } from './terminal.ts';
import { UsageError } from './usage-error.ts';

/** Says what went wrong, on standard error, and which code the process ends with. */
export function reportFailure(terminal: Terminal, error: unknown, isJson: boolean): ExitCode {
  if (error instanceof CommanderError) return reportUsage(terminal, error, isJson);
  const { code, text, status, hints } = describe(error);
  terminal.err(
    `${terminal.paintErr('red', 'error')} ${printable(text)}${code === '' ? '' : terminal.paintErr('dim', ` [${printable(code)}]`)}\n`,
  );
  for (const hint of hints) terminal.err(`  ${printable(hint)}\n`);
  if (isJson) writeJson(terminal, { error: { code, message: text, status } });
  return status === 0 || status >= 500 || status === 429 || status === 408 ? exitCodes.serviceError : exitCodes.refused;
}

/** Commander has written its own message; asking for help is no failure. */
function reportUsage(terminal: Terminal, { exitCode, code, message }: CommanderError, isJson: boolean): ExitCode {
  if (exitCode === 0) return exitCodes.passed;
  const text = code === 'commander.help' ? 'a command is missing' : message.replace(/^error: /, '');
  if (isJson) writeJson(terminal, { error: { code: '', message: text, status: 400 } });
  return exitCodes.refused;
}

interface Description {
  readonly code: string;
  readonly text: string;
  /** HTTP status; 400 for what never left this machine, 0 for no answer. */
  readonly status: number;
  readonly hints: readonly string[];
}

function describe(error: unknown): Description {
  if (error instanceof TouchstoneError) {
    const findings = error.findings.map(
      ({ path, rule, message, severity }) => `${severity ?? 'error'} ${path} ${rule}: ${message}`,
    );
    return {
      code: error.code,
      text: error.detail,
      status: error.status,
      hints: [...findings, ...inputHints(error), ...remedy(error)],
    };
  }
  if (error instanceof Problem) return { code: error.code, text: error.detail, status: error.status, hints: [] };
  if (error instanceof UsageError || error instanceof PathError || isConfigError(error)) {
    return { code: '', text: error.message, status: 400, hints: [] };
  }
  return { code: '', text: error instanceof Error ? error.message : String(error), status: 500, hints: [] };
}

/** By name: the class lives with the host, which most commands never load. */
function isConfigError(error: unknown): error is Error {
  return error instanceof Error && error.name === 'ConfigError';
}

/** Every refused input (docs/spec/verification.md §3.3). */
function inputHints({ details }: TouchstoneError): readonly string[] {
  const inputs = Array.isArray(details.inputs) ? details.inputs : [];
  return inputs.map((input) => `input ${JSON.stringify(input)}`);
}

function remedy({ code, remediation }: TouchstoneError): readonly string[] {
  if (code === 'TOUCHSTONE_CLIENT_NO_CONNECTION')
    return ['Is the host running? Start one with `touchstone serve`, or name another with --url.'];
  return remediation === undefined ? [] : [remediation];
}
