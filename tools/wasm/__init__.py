"""The simulators as WebAssembly, one module a system: a run as one function, with the same bits."""
