/** Names of Python's builtin exceptions: the only text about an exception that leaves the sandbox. */
const names =
  'ArithmeticError AssertionError AttributeError BaseException BaseExceptionGroup BlockingIOError BrokenPipeError ' +
  'BufferError BytesWarning ChildProcessError ConnectionAbortedError ConnectionError ConnectionRefusedError ' +
  'ConnectionResetError DeprecationWarning EOFError EncodingWarning Exception ExceptionGroup FileExistsError ' +
  'FileNotFoundError FloatingPointError FutureWarning GeneratorExit ImportError ImportWarning IndentationError ' +
  'IndexError InterruptedError IsADirectoryError KeyError KeyboardInterrupt LookupError MemoryError ' +
  'ModuleNotFoundError NameError NotADirectoryError NotImplementedError OSError OverflowError ' +
  'PendingDeprecationWarning PermissionError ProcessLookupError PythonFinalizationError RecursionError ReferenceError ' +
  'ResourceWarning RuntimeError RuntimeWarning StopAsyncIteration StopIteration SyntaxError SyntaxWarning ' +
  'SystemError SystemExit TabError TimeoutError TypeError UnboundLocalError UnicodeDecodeError UnicodeEncodeError ' +
  'UnicodeError UnicodeTranslateError UnicodeWarning UserWarning ValueError Warning ZeroDivisionError';

export const builtinExceptions: ReadonlySet<string> = new Set(names.split(' '));
