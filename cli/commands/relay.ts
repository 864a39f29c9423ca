import type { Command } from 'commander';
import type { GlobalOptions } from '../context.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { stopSignal } from '../stop-signal.ts';
import type { Terminal } from '../terminal.ts';

interface RelayOptions extends GlobalOptions {
  readonly to: string;
  readonly port: string;
}

/** `touchstone relay`: takes samples over gRPC on this machine and brings them to a host over HTTP (docs/spec/wire.md §9.4). */
export function addRelayCommand(program: Command, terminal: Terminal, end: (code: ExitCode) => void): void {
  program
    .command('relay')
    .description('take samples of the published client over gRPC here, and bring them to a host over HTTP')
    .requiredOption('--to <url>', 'base URL of the host, e.g. the endpoint of a deployment')
    .option('--port <number>', 'port of this machine to listen on', '50051')
    .action(async (_options: unknown, command: Command) => {
      const { to, port } = command.optsWithGlobals<RelayOptions>();
      const { startRelay } = await import('#local/relay.ts');
      const server = await startRelay(to, Number(port));
      terminal.out(`touchstone relays gRPC on 127.0.0.1:${server.port} to ${to}\n`);
      await stopSignal();
      await server.close();
      end(exitCodes.passed);
    });
}
