"""Runs inside the interpreter. Everything here is within reach of the judged code: it is courtesy, not a wall.

The wall is the import boundary of the WebAssembly module (boundary.ts) and the locked process around it. What
tampers with this file can only change the answer of its own call. Descriptor 1000 gives the request, 1001 takes the
one report; both are served by the boundary and by nothing else.
"""


def _install():
    import builtins
    import gc
    import os
    import sys
    import time

    # What judged code usually imports: paid once, in the snapshot.
    import abc, ast, base64, binascii, bisect, calendar, cmath, collections, collections.abc, contextlib, copy, csv
    import dataclasses, datetime, decimal, difflib, enum, fractions, functools, hashlib, heapq, hmac, html, html.parser
    import inspect, io, itertools, json, keyword, math, numbers, operator, pprint, random, re, secrets, statistics
    import string, struct, subprocess, textwrap, traceback, types, typing, unicodedata, urllib.parse, uuid, zlib
    import zoneinfo, encodings.ascii, encodings.latin_1, encodings.utf_16, encodings.idna, xml.etree.ElementTree

    forbidden_events = frozenset(
        'os.system os.exec os.posix_spawn os.spawn os.fork os.forkpty os.kill os.killpg os.putenv os.unsetenv '
        'os.startfile subprocess.Popen pty.spawn urllib.Request webbrowser.open'.split()
    )
    forbidden_families = ('socket.', 'ctypes.', 'ftplib.', 'smtplib.', 'imaplib.', 'poplib.', 'telnetlib.', 'http.client.')
    forbidden_modules = frozenset('js pyodide_js pyodide _pyodide _pyodide_core micropip ctypes _ctypes'.split())

    def guard(event, args, PermissionError=PermissionError):
        if event == 'import':
            if args[0].partition('.')[0] in forbidden_modules:
                raise PermissionError('not in this sandbox')
        elif event in forbidden_events or event.startswith(forbidden_families):
            raise PermissionError('not in this sandbox')

    def refuse(*args, **kwargs):
        raise PermissionError('not in this sandbox')

    def sleep(seconds, /):
        """The clock stands: nothing is waited for."""
        if not isinstance(seconds, (int, float)):
            raise TypeError('seconds must be a number')
        if not seconds >= 0:
            raise ValueError('sleep length must be non-negative')

    time.sleep = sleep
    subprocess._can_fork_exec = True  # so that its refusal is ours, and has our code
    for name in 'fork forkpty posix_spawn posix_spawnp execv execve kill killpg system popen abort'.split():
        setattr(os, name, refuse)
    for finder in list(sys.meta_path):
        if getattr(finder, '__module__', '').startswith(('_pyodide', 'pyodide')):
            sys.meta_path.remove(finder)
    for name in [n for n in sys.modules if n.partition('.')[0] in forbidden_modules]:
        del sys.modules[name]
    sys.path[:] = ['/lib/python314.zip']
    sys.argv[:] = ['']
    os.environ.clear()
    sys.addaudithook(guard)

    builtin_exceptions = {
        kind for kind in vars(builtins).values() if isinstance(kind, type) and issubclass(kind, BaseException)
    }
    largest = 2**53 - 1
    # Every value takes two bytes at least (itself and a separator): more values than this cannot fit 1 MiB.
    most_values = 524289
    most_bytes = 4 << 20
    encoder = json.JSONEncoder(ensure_ascii=False, check_circular=True, allow_nan=False, separators=(',', ':'))

    class Malformed(Exception):
        pass

    class TooLarge(Exception):
        pass

    def require_json(value):
        """Bounds first, without recursion: a cycle runs into the depth, a shared web into the count."""
        waiting = [(value, 1)]
        values = 0
        text = 0
        while waiting:
            item, depth = waiting.pop()
            values += 1
            if item is None or item is True or item is False:
                continue
            if isinstance(item, str):
                text += len(item)
            elif isinstance(item, int):
                if not -largest <= item <= largest:
                    raise Malformed
            elif isinstance(item, float):
                if item != item or item in (math.inf, -math.inf):
                    raise Malformed
            elif isinstance(item, (list, tuple, dict)):
                if depth > 128:
                    raise Malformed
                if values + len(waiting) + len(item) > most_values:
                    raise TooLarge
                if isinstance(item, dict):
                    for key in item:
                        if not isinstance(key, str):
                            raise Malformed
                        text += len(key)
                    item = item.values()
                waiting.extend((child, depth + 1) for child in item)
            else:
                raise Malformed
            if text > most_bytes:
                raise TooLarge

    def encode(value):
        try:
            require_json(value)
            data = encoder.encode(value).encode('utf-8')
        except TooLarge:
            return b'Eoutput_limit'
        except MemoryError:
            return b'Ecode_memory'
        except BaseException:
            return b'Emalformed_output'
        return b'Eoutput_limit' if len(data) > most_bytes else b'O' + data

    def is_size(error):
        """A length that 32 bits cannot address, which Python calls an overflow."""
        message = str(error)
        return any(words in message for words in ('index-sized', 'ssize_t', 'too long', 'too large to concat'))

    def failure(error):
        """The type of a builtin exception and nothing of its message: that may hold evidence."""
        if isinstance(error, MemoryError) or isinstance(error, OverflowError) and is_size(error):
            return b'Ecode_memory'
        seen = 0
        link = error
        while isinstance(link, OSError) and seen < 16:
            if isinstance(link, PermissionError):
                return b'Ecode_forbidden'
            link = link.__cause__ or link.__context__
            seen += 1
        for kind in type(error).__mro__:
            if kind in builtin_exceptions:
                return b'Ecode_exception ' + kind.__name__.encode()
        return b'Ecode_exception'

    def call(source, entrypoint, inputs):
        module = types.ModuleType('check')
        sys.modules['check'] = module
        try:
            exec(compile(source, '<check>', 'exec', dont_inherit=True), module.__dict__)
            function = module.__dict__.get(entrypoint)
            if not callable(function):
                return b'Ecode_entrypoint_missing'
            return encode(function(**inputs))
        except BaseException as error:
            return failure(error)

    def receive():
        parts = []
        while part := os.read(1000, 1 << 20):
            parts.append(part)
        return json.loads(b''.join(parts))

    def report(data):
        try:
            sys.stdout.flush()
            sys.stderr.flush()
        except BaseException:
            pass
        while data:
            data = data[os.write(1001, data):]
        os.close(1001)

    def serve():
        # Paths that every call takes, walked once so that the waiting interpreter has them compiled.
        warm = 'import json\ndef check(a):\n    return {"a": [x for x in a if x], "b": json.dumps(a), "c": f"{1.5:.2f}"}\n'
        call(warm, 'check', json.loads('{"a": [1, 2.5, "x", null]}'))
        call('def check(): raise ValueError', 'check', {})
        call('def check(:', 'check', {})
        random.seed(int.from_bytes(hashlib.sha256(b'').digest(), 'big'))
        sys.modules.pop('check', None)
        gc.collect()
        request = receive()
        source = request['source']
        random.seed(int.from_bytes(hashlib.sha256(source.encode()).digest(), 'big'))
        report(call(source, request['entrypoint'], request['inputs']))

    sys.modules['__main__'].__dict__['_serve'] = serve
    random.seed(0)
    re.compile(r'(\w+)\s*[:=]\s*(\d+(?:\.\d+)?)').search('a: 1')
    datetime.datetime.now().isoformat()
    str(decimal.Decimal('1.5') + 1)
    gc.collect()
    gc.freeze()


def _start():
    # With builtins of its own: those that judged code replaces are not the ones that judge its answer.
    import builtins
    import types

    del globals()['_install'], globals()['_start']
    types.FunctionType(install.__code__, {'__builtins__': dict(vars(builtins)), '__name__': 'harness'})()


install = _install
_start()
del install
