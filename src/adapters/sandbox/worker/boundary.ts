/**
 * The only way out of the interpreter: the functions its WebAssembly module imports (docs/spec/verification.md §4.5).
 * Once sealed, each import is one of four: ours (clock, randomness, print, request and report), harmless and passed on,
 * a system call refused with EACCES, or anything else — the whole JavaScript bridge — which ends the call. Code that
 * owns all of the interpreter's memory still has nothing but these.
 */

/** What the interpreter may learn and tell. `report` and `fault` never return. */
export interface Outside {
  /** Milliseconds since the epoch. */
  clock: number;
  /** Fills with bytes that depend on the source alone. */
  random(into: Uint8Array): void;
  /** Blocks until the request is there; empty at its end. Sets `clock` and the seed before the first byte. */
  request(most: number): Uint8Array;
  print(bytes: Uint8Array): void;
  report(bytes: Uint8Array): void;
  reported(): never;
  fault(kind: Fault): never;
}

export type Fault = 'forbidden' | 'exit' | 'abort' | 'memory';

type Import = (...args: never[]) => unknown;
type NumberImport = (...args: number[]) => number | bigint | null | undefined;

export interface Boundary {
  imports(given: WebAssembly.Imports): WebAssembly.Imports;
  attach(memory: WebAssembly.Memory): void;
  /** One way. */
  seal(): void;
}

// Numbers of wasi-libc, as Emscripten uses them.
const eacces = 2;
const ebadf = 8;
const requestDescriptor = 1000;
const reportDescriptor = 1001;
const stdlib = /^\/lib\/python3(14\.zip|\.14)(\/|$)/;

/** No effect outside the module's own memory and its in-memory files. */
const harmless = new Set([
  '_PyEM_TrampolineCall_JS',
  '_Py_emscripten_runtime',
  'emscripten_get_heap_max',
  'emscripten_resize_heap',
  'emscripten_runtime_keepalive_pop',
  'emscripten_runtime_keepalive_push',
  '_tzset_js',
  '_timegm_js',
  '_mktime_js',
  '_localtime_js',
  '_gmtime_js',
  'environ_sizes_get',
  'environ_get',
  'fd_close',
  'fd_seek',
  'fd_read',
  'fd_pread',
  'fd_fdstat_get',
  '__syscall_fstat64',
  '__syscall_getdents64',
  '__syscall_getcwd',
  'Jsv_GetError_import',
  'JsvError_Check',
]);

/** Position of the path among the arguments. */
const pathCalls = new Map([
  ['__syscall_openat', 1],
  ['__syscall_stat64', 0],
  ['__syscall_lstat64', 0],
  ['__syscall_newfstatat', 1],
  ['__syscall_faccessat', 1],
]);

const refused = new Set([
  '_emscripten_system',
  '_mmap_js',
  '_msync_js',
  '_munmap_js',
  '_setitimer_js',
  'fd_pwrite',
  'fd_sync',
  'getaddrinfo',
  'getnameinfo',
  'getprotobyname',
]);

/** Null says that there is nothing to wait for: the plain system call follows, and is refused. */
const constant = new Map<string, number | null>([
  ['_maybe_connect_async', null],
  ['_maybe_recvfrom_async', null],
  ['_maybe_sendto_async', null],
  ['_maybe_poll_async', null],
  ['_try_fcntl64', 0],
  ['_try_shutdown', 0],
  ['_Py_CheckEmscriptenSignals_Helper', 0],
  ['__syscall_getuid32_js', 0],
  ['__syscall_umask_js', 0],
  ['__syscall_ioctl', -59],
  ['__syscall_fcntl64', 0],
  ['__syscall_fadvise64', 0],
]);

export function createBoundary(outside: Outside): Boundary {
  let memory: WebAssembly.Memory | undefined;
  let sealed = false;
  const view = () => new DataView(memory?.buffer ?? new ArrayBuffer(0));
  const bytes = (pointer: number, length: number) => new Uint8Array(view().buffer, pointer >>> 0, length >>> 0);
  const own = ownImports(outside, view, bytes);

  function guarded(name: string, original: Import): Import {
    const mine = own.get(name);
    if (mine !== undefined) return mine(original as NumberImport) as Import;
    if (harmless.has(name)) return original;
    const whenSealed = sealedImport(name, original as NumberImport, outside, bytes);
    return ((...args: number[]) => (sealed ? whenSealed(...args) : (original as NumberImport)(...args))) as Import;
  }

  return {
    attach: (given) => {
      memory = given;
    },
    seal: () => {
      sealed = true;
    },
    imports: (given) => {
      const wall: WebAssembly.Imports = {};
      for (const module of Object.keys(given)) {
        const names = given[module] ?? {};
        if (module.startsWith('GOT.')) {
          wall[module] = names;
          continue;
        }
        const guardedNames: WebAssembly.ModuleImports = {};
        for (const [name, value] of Object.entries(names)) {
          guardedNames[name] =
            typeof value === 'function' ? (guarded(name, value as Import) as CallableFunction) : value;
        }
        wall[module] = guardedNames as WebAssembly.ModuleImports;
      }
      return wall;
    },
  };
}

function sealedImport(
  name: string,
  original: NumberImport,
  outside: Outside,
  bytes: (pointer: number, length: number) => Uint8Array,
): NumberImport {
  const path = pathCalls.get(name);
  if (path !== undefined) {
    return (...args) => (isStdlib(bytes(args[path] ?? 0, 4096), name, args) ? original(...args) : -eacces);
  }
  const value = constant.get(name);
  if (value !== undefined) return () => value;
  if (name.startsWith('__syscall_') || refused.has(name)) return () => -eacces;
  if (name === 'proc_exit' || name === 'exit') return () => outside.fault('exit');
  if (name === '_abort_js' || name === '__assert_fail') return () => outside.fault('abort');
  return () => outside.fault('forbidden');
}

/** The packed standard library, for reading, and nothing else that has a name. */
function isStdlib(text: Uint8Array, name: string, args: readonly number[]): boolean {
  const end = text.indexOf(0);
  if (end < 0) return false;
  const path = new TextDecoder().decode(text.slice(0, end));
  // The access mode is in the two lowest bits; O_CREAT, O_TRUNC and O_APPEND are 0o3100.
  const writes = name === '__syscall_openat' && ((args[2] ?? 0) & 0o3103) !== 0;
  return stdlib.test(path) && !path.includes('..') && !writes;
}

function ownImports(
  outside: Outside,
  view: () => DataView,
  bytes: (pointer: number, length: number) => Uint8Array,
): Map<string, (original: NumberImport) => NumberImport> {
  function vectors(pointer: number, count: number): Uint8Array[] {
    const data = view();
    return Array.from({ length: Math.min(count, 1024) }, (_, index) =>
      bytes(data.getUint32(pointer + 8 * index, true), data.getUint32(pointer + 8 * index + 4, true)),
    );
  }
  const write = (descriptor = 0, pointer = 0, count = 0, written = 0) => {
    if (descriptor !== 1 && descriptor !== 2 && descriptor !== reportDescriptor) return ebadf;
    let total = 0;
    for (const part of vectors(pointer, count)) {
      total += part.length;
      if (descriptor === reportDescriptor) outside.report(part);
      else outside.print(part);
    }
    view().setUint32(written, total, true);
    return 0;
  };
  const read =
    (original: NumberImport) =>
    (descriptor = 0, pointer = 0, count = 0, got = 0) => {
      if (descriptor === 0) {
        view().setUint32(got, 0, true);
        return 0;
      }
      if (descriptor !== requestDescriptor) return original(descriptor, pointer, count, got);
      const [into] = vectors(pointer, Math.min(count, 1));
      const part = outside.request(into?.length ?? 0);
      into?.set(part);
      view().setUint32(got, part.length, true);
      return 0;
    };
  const close =
    (original: NumberImport) =>
    (descriptor = 0) =>
      descriptor === reportDescriptor ? outside.reported() : original(descriptor);
  const clock = () => outside.clock;
  return new Map<string, (original: NumberImport) => NumberImport>([
    ['fd_write', () => write],
    ['fd_read', read],
    ['fd_close', close],
    ['emscripten_date_now', () => clock],
    ['emscripten_get_now', () => clock],
    [
      'clock_time_get',
      () =>
        (_clock = 0, _precision = 0, into = 0) => {
          view().setBigUint64(into, BigInt(Math.trunc(outside.clock * 1000)) * 1000n, true);
          return 0;
        },
    ],
    [
      'clock_res_get',
      () =>
        (_clock = 0, into = 0) => {
          view().setBigUint64(into, 1000n, true);
          return 0;
        },
    ],
    [
      'random_get',
      () =>
        (pointer = 0, length = 0) => {
          outside.random(bytes(pointer, length));
          return 0;
        },
    ],
  ]);
}
