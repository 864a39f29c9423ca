import type { Command } from 'commander';
import { type GlobalOptions, writeJson } from '../context.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { stopSignal } from '../stop-signal.ts';
import type { Terminal } from '../terminal.ts';

interface ServeOptions extends GlobalOptions {
  readonly config?: string;
  readonly host?: string;
  readonly port?: string;
  readonly grpcPort?: string;
  readonly data?: string;
  readonly allowLoopbackDelivery?: boolean;
}

/** Of the published client (docs/spec/wire.md §9.1). */
const usualGrpcPort = 50_051;

/** `touchstone serve`: the whole service in this process, until it is told to stop. */
export function addServeCommand(program: Command, terminal: Terminal, end: (code: ExitCode) => void): void {
  program
    .command('serve')
    .description('run the service here, with its data in a folder')
    .option('--port <number>', 'port to listen on; 0 takes a free one')
    .option('--grpc-port <number>', 'port that takes samples over gRPC (default: 50051, if it is free); `off`: none')
    .option('--host <address>', 'address to listen on; another than loopback needs an API key')
    .option('--data <folder>', 'where everything is kept')
    .option('--allow-loopback-delivery', 'Operators may call this machine; for development')
    .option('--config <file>', 'settings as YAML; TOUCHSTONE_* variables and these options win over it')
    .action(async (_options: unknown, command: Command) => {
      const options = command.optsWithGlobals<ServeOptions>();
      // Most commands never need the host: it is loaded by the one that does.
      const [{ loadConfig }, { startHost }] = await Promise.all([import('#local/config.ts'), import('#local/host.ts')]);
      const { host, port, data, config, allowLoopbackDelivery: allow_loopback_delivery } = options;
      const overrides = { host, port, grpc_port: options.grpcPort, data, allow_loopback_delivery };
      const settings = await loadConfig(config, terminal.environment, overrides);
      const hostOptions = { environment: terminal.environment, usual_grpc_port: usualGrpcPort };
      const running = await startHost(settings, hostOptions);
      if (options.json) writeJson(terminal, { url: running.url });
      else terminal.out(`touchstone listens on ${running.url}, data in ${settings.data}\n`);
      await stopSignal();
      await running.close();
      end(exitCodes.passed);
    });
}
