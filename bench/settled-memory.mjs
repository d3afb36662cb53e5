/** Bytes on the heap and beside it, once nothing is left to collect. Needs node --expose-gc. */
export async function settledMemory() {
  for (let round = 0; round < 4; round++) {
    globalThis.gc();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
