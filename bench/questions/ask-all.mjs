/** Asks so many questions, so many at once. Returns the milliseconds of each. */
export async function askAll(ask, count, atOnce) {
  const times = [];
  let next = 0;
  const caller = async () => {
    while (next < count) {
      const question = `Say hello, for the ${next++}th time.`;
      const began = performance.now();
      const text = await ask(question);
      times.push(performance.now() - began);
      if (!text.includes("word59")) throw new Error(`not the answer: ${text.slice(0, 500)}`);
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, count) }, caller));
  return times;
}
