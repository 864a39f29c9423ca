import { createBoundary, type Outside } from './boundary.ts';
import { pageBytes, restoreMemory, snapshotPages, takeSnapshot } from './snapshot.ts';

/**
 * CPython on WebAssembly, started from nothing or from a memory snapshot, behind the boundary and without its
 * JavaScript bridge: pyodide's loader, which would install one, is never run. Knows no process and no file, so the
 * same interpreter serves a child process and a function of its own.
 */
export interface Assets {
  /** Default export of pyodide.asm.mjs. */
  readonly factory: (settings: object) => Promise<Emscripten>;
  /** pyodide.asm.wasm */
  readonly wasm: Uint8Array<ArrayBuffer>;
  /** python_stdlib.zip */
  readonly stdlib: Uint8Array;
  /** worker/harness.py */
  readonly harness: string;
}

interface Emscripten {
  readonly FS: {
    mkdirTree(path: string): void;
    writeFile(path: string, bytes: Uint8Array): void;
    chdir(path: string): void;
  };
  readonly ENV: Record<string, string>;
  stringToNewUTF8(text: string): number;
}

export interface Interpreter {
  /** The memory with the harness installed; restores to the same state in every process. */
  snapshot(): Uint8Array;
  /** Runs one call: takes the request from `outside` and gives it the report, which does not return. */
  serve(): void;
}

/** 256 MiB (docs/spec/verification.md §4.5). */
const mostPages = 4096;

export async function startInterpreter(
  assets: Assets,
  outside: Outside,
  snapshot: Uint8Array | null,
): Promise<Interpreter> {
  const boundary = createBoundary(outside);
  let instance: WebAssembly.Instance | undefined;
  // Without it pyodide knows no way to suspend the interpreter, and none is wanted.
  Reflect.deleteProperty(WebAssembly, 'Suspending');
  const emscripten = await assets.factory({
    noInitialRun: snapshot !== null,
    arguments: [],
    thisProgram: 'python',
    print: () => undefined,
    printErr: () => undefined,
    locateFile: (name: string) => name,
    API: pyodideSettings,
    preRun: [(module: Emscripten) => installFiles(module, assets.stdlib)],
    instantiateWasm: (
      imports: WebAssembly.Imports,
      done: (made: { exports: WebAssembly.Exports }, module: WebAssembly.Module) => void,
    ) => {
      const module = new WebAssembly.Module(limitMemory(assets.wasm));
      instance = new WebAssembly.Instance(module, boundary.imports(withoutBridgeErrors(imports)));
      const memory = exported(instance, 'memory', WebAssembly.Memory);
      boundary.attach(memory);
      if (snapshot !== null) growTo(memory, snapshotPages(snapshot));
      done(Object.freeze({ exports: withoutInterpreter(instance.exports) }), module);
      return {};
    },
  });
  if (instance === undefined) throw new Error('the interpreter was not made');
  const memory = exported(instance, 'memory', WebAssembly.Memory);
  const stack = exported(instance, '__stack_pointer', WebAssembly.Global);
  const run = instance.exports.PyRun_SimpleStringFlags;
  if (typeof run !== 'function') throw new Error('the interpreter has no entry');
  boundary.seal();
  if (snapshot === null) {
    if (run(emscripten.stringToNewUTF8(assets.harness), 0) !== 0) throw new Error('the harness did not install');
  } else {
    stack.value = restoreMemory(new Uint8Array(memory.buffer), snapshot);
  }
  return {
    snapshot: () => takeSnapshot(new Uint8Array(memory.buffer), Number(stack.value)),
    serve: () => {
      run(emscripten.stringToNewUTF8('_serve()'), 0);
    },
  };
}

/** The least that pyodide's own script reads while it is set up. */
const pyodideSettings = {
  config: {
    jsglobals: {},
    packages: [],
    env: {},
    indexURL: '/',
    packageBaseUrl: '/',
    packageCacheDir: '/',
    BUILD_ID: '',
  },
  runtimeEnv: { IN_NODE: false, IN_SHELL: true },
};

function installFiles(module: Emscripten, stdlib: Uint8Array): void {
  module.FS.mkdirTree('/lib/python3.14/site-packages');
  module.FS.mkdirTree('/lib/python3.14/lib-dynload');
  module.FS.writeFile('/lib/python314.zip', stdlib);
  module.FS.chdir('/');
  Object.assign(module.ENV, { HOME: '/', PYTHONHASHSEED: '0', PYTHONDONTWRITEBYTECODE: '1', PYTHONINSPECT: '1' });
}

function withoutBridgeErrors(imports: WebAssembly.Imports): WebAssembly.Imports {
  const mark = Symbol('error');
  const env = {
    ...imports.env,
    Jsv_GetError_import: () => mark,
    JsvError_Check: (value: unknown) => (value === mark ? 1 : 0),
  };
  // Object spread would lose the tables that are proxies.
  return Object.fromEntries([...Object.keys(imports).map((name) => [name, imports[name]]), ['env', env]]);
}

function growTo(memory: WebAssembly.Memory, pages: number): void {
  const missing = pages - memory.buffer.byteLength / pageBytes;
  if (missing > 0) memory.grow(missing);
}

function exported<T>(instance: WebAssembly.Instance, name: string, kind: new (...args: never[]) => T): T {
  const value = instance.exports[name];
  if (!(value instanceof kind)) throw new Error('the interpreter is not the expected build');
  return value;
}

/**
 * The exports for pyodide's script: its runtime and the data addresses, none of the four thousand functions of
 * Python. It needs none of them without the bridge, and to enter them all in its tables takes a tenth of a start.
 */
function withoutInterpreter(exports: WebAssembly.Exports): WebAssembly.Exports {
  return Object.fromEntries(
    Object.entries(exports).filter(([name, value]) => typeof value !== 'function' || runtimeExports.test(name)),
  );
}

const runtimeExports =
  /^(malloc|free|calloc|realloc|sbrk|memcpy|memalign|main|__main_argc_argv|strerror|fflush|fileno|htons|htonl|ntohs|ntohl|pthread_self|setThrew|jslib_init|set_method_docstring|_*emscripten_.*|__.*)$/;

/** Rewrites the maximum in the memory section, in place, so that the engine itself refuses to grow beyond it. */
function limitMemory(limited: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  let offset = 8;
  while (offset < limited.length) {
    const kind = limited[offset];
    const [size, start] = unsigned(limited, offset + 1);
    if (kind === 5) {
      const [, afterCount] = unsigned(limited, start);
      const [, maximumAt] = unsigned(limited, afterCount + 1);
      const [, end] = unsigned(limited, maximumAt);
      if (limited[afterCount] !== 1) throw new Error('the memory has no maximum');
      writePadded(limited, maximumAt, end, mostPages);
      return limited;
    }
    offset = start + size;
  }
  throw new Error('the module has no memory');
}

function unsigned(bytes: Uint8Array, offset: number): [value: number, next: number] {
  let value = 0;
  let shift = 1;
  for (let at = offset; at < offset + 5; at += 1) {
    const byte = bytes[at] ?? 0;
    value += (byte & 127) * shift;
    shift *= 128;
    if (byte < 128) return [value, at + 1];
  }
  throw new Error('not a number');
}

function writePadded(bytes: Uint8Array, from: number, end: number, value: number): void {
  let rest = value;
  for (let at = from; at < end; at += 1) {
    bytes[at] = (rest & 127) | (at < end - 1 ? 128 : 0);
    rest >>>= 7;
  }
  if (rest > 0) throw new Error('the maximum does not fit');
}
