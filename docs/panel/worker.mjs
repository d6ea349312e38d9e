// A worker: loads a system's module once, then runs the machines that it is told to.
onmessage = async ({ data }) => {
  if (data.module) {
    const packed = new Blob([decoded(data.module)]).stream().pipeThrough(new DecompressionStream("gzip"));
    globalThis.machine = await Machine.load(await new Response(packed).arrayBuffer());
    return postMessage({ ready: true });
  }
  const start = performance.now();
  let found = { stop: -3 };
  try {
    found = machine.run(data);
  } catch { /* it failed; the next run has the machine anew */ }
  const { stop, measures, film } = found;
  postMessage({ stop, measures, film, ms: performance.now() - start });
};
