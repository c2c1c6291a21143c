from kinesics.engine_plugin.cli import main

if __name__ == "__main__":  # a spawned child process imports this file again under another name
    raise SystemExit(main())
