// Overhead of the agent: CPU time of one question (one tool round, an answer of 60 chunks) through the built library,
// beside a loop written by hand with the global `fetch` and the MCP client on the same work. Model and tools are other
// processes, so that only the agent is counted. The two take turns within one process, so that a machine whose speed
// drifts slows both; prints medians and their ratio. Fails above the limit.
import { openByHand, openDuet, startModel } from "./contestants.mjs";

const limit = 1.3;
const rounds = Number(process.argv[2] ?? 30);
const questionsPerRound = 50;
const warmUp = 6;

const model = await startModel();
const contestants = {};
try {
  contestants.hand = await openByHand(model.url);
  contestants.duet = await openDuet(model.url);
  const times = { hand: [], duet: [] };
  for (let round = -warmUp; round < rounds; round++) {
    for (const name of round % 2 ? ["hand", "duet"] : ["duet", "hand"]) {
      const used = await cpuTime(contestants[name].ask);
      if (round >= 0) times[name].push(used);
    }
  }
  const [hand, duet] = [median(times.hand), median(times.duet)];
  console.log(`by hand, fetch and MCP client  ${hand.toFixed(2)} ms   median of ${rounds}`);
  console.log(`duet                           ${duet.toFixed(2)} ms   ${(duet / hand).toFixed(2)} x`);
  if (duet > limit * hand) throw new Error(`the overhead is ${(duet / hand).toFixed(2)} x, above ${limit} x`);
} finally {
  await Promise.all(Object.values(contestants).map(({ close }) => close()));
  model.close();
}

/** Milliseconds of CPU, user and system, for one question. */
async function cpuTime(ask) {
  const before = process.cpuUsage();
  for (let index = 0; index < questionsPerRound; index++) {
    const text = await ask("Say hello.");
    if (!text.endsWith("word59")) throw new Error(`not the answer: ${text}`);
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / questionsPerRound;
}

function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
