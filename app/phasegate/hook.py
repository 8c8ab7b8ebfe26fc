"""The spawned hook: `python -I -S -B /abs/path/hook.py RUNTIME [options]`.

It is started before every tool call. Python compiles a script anew each time, which would
cost more than the whole exchange, so this file only loads the compiled `hook_client`
beside it. Whatever goes wrong ends with exit code 2: 1 reads as "go on" in most runtimes.
"""

import sys


def main(argv: "list[str] | None" = None) -> None:
    """Run one hook and end the process."""
    try:
        sys.path.insert(0, __file__.replace("\\", "/").rpartition("/")[0] or ".")
        import hook_client  # type: ignore[import-not-found]  # noqa: PLC0415 (found by the line above)

        del sys.path[0]
        hook_client.run(sys.argv[1:] if argv is None else argv)
    except BaseException as error:  # noqa: BLE001 (a traceback would exit 1, and the tool would run)
        sys.stderr.write(f"phasegate: the hook failed ({type(error).__name__}: {error})\n")
        sys.stderr.flush()
    sys.exit(2)


if __name__ == "__main__":
    main()
