// A worker: loads a system's module once, then runs the machines that it is told to.
onmessage = async ({ data }) => {
  if (data.module) {
    const packed = new Blob([decoded(data.module)]).stream().pipeThrough(new DecompressionStream("gzip"));
    globalThis.machine = await Machine.load(await new Response(packed).arrayBuffer());
    return postMessage({ ready: true });
  }
  try {
    const { stop, measures } = machine.run(data);
    postMessage({ stop, measures });
  } catch (error) {
    postMessage({ stop: -2, told: String(error) });
  }
};
