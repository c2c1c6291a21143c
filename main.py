"""Run kinesics from a checkout: python main.py."""

from kinesics.engine_plugin.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
