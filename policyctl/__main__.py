"""The program: from the arguments to the exit code, whatever happens in between.

The version is answered first, because anything else that is imported here makes every call slower.
"""

import sys

__all__ = ["main"]

_INTERRUPTED = 130
_BROKEN_PIPE = 141


def main() -> int:
    """Run the command line and return its exit code, one of `policyctl.errors.Exit`, or 130 and 141 as shells do."""
    arguments = sys.argv[1:]
    try:
        if arguments == ["--version"]:
            from policyctl.version import __version__  # noqa: PLC0415

            sys.stdout.write(f"policyctl {__version__}\n")
            code = 0
        else:
            from policyctl.cli.main import run  # noqa: PLC0415

            code = run(arguments)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return _INTERRUPTED
    except BrokenPipeError:
        return _unheard(_BROKEN_PIPE)
    except OSError as problem:
        _complain(f"error: {problem.strerror or problem}", arguments)
        return _unheard(_code("NO_ANSWER"))
    except MemoryError as shortage:
        if "--debug" not in arguments:
            # All that it was working on hangs on the exception, and these last words need memory too.
            shortage.__traceback__ = shortage.__context__ = None
        _complain("error: there is not enough memory", arguments)
        return _code("NO_ANSWER")
    except Exception as bug:  # noqa: BLE001 - the one place where what nobody expected becomes 70
        _complain(f"error: a bug in policyctl: {type(bug).__name__}: {_line(bug)}", arguments)
        return _code("BUG")
    return code


def _code(name: str) -> int:
    from policyctl.errors import Exit  # noqa: PLC0415

    return Exit[name]


def _line(bug: Exception) -> str:
    return ascii(str(bug).partition("\n")[0][:200])[1:-1]


def _complain(message: str, arguments: list[str]) -> None:
    if "--debug" in arguments:
        import traceback  # noqa: PLC0415

        traceback.print_exc()
    else:
        message += "\nhelp: run it again with `--debug` to see where"
    print(message, file=sys.stderr)  # noqa: T201 - the last words of the program


def _unheard(code: int) -> int:
    """Let the interpreter flush its output into nothing on the way out, instead of failing a second time."""
    import os  # noqa: PLC0415

    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return code


if __name__ == "__main__":
    sys.exit(main())
