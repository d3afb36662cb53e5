// What one question makes beside its work, in counts, which are the same on a busy machine: promises, calls of `JSON.parse`, timers
// and ticks, for answers of 60 and of 160 chunks that arrive one by one; beside the floor (floor/loop.mjs). Another build is measured with
// `node bench/counts.mjs FOLDER`. Fails above the limits.
import { createHook } from "node:async_hooks";
import { openDuet, startModel, tools } from "./contestants.mjs";
import { openFloor } from "./floor/loop.mjs";

/** Limits the promises for 100 chunks more, and those of a whole question with 60. */
const limits = { perHundred: 250, question: 550 };
const dist = process.argv[2];
const questions = 10;
const pauseMs = 3;

let counts;
const count = (name) => {
  if (counts) counts[name] = (counts[name] ?? 0) + 1 / questions;
};
const counted = { PROMISE: "promises", Timeout: "timers", TickObject: "ticks" };
createHook({ init: (_, type) => counted[type] && count(counted[type]) }).enable();
const { parse } = JSON;
JSON.parse = (...args) => {
  count("parses");
  return parse(...args);
};

const found = {};
for (const words of [60, 160]) {
  const model = await startModel(pauseMs, words);
  for (const [name, open] of Object.entries({ floor: (url) => openFloor(url, tools), duet: openDuet })) {
    const { ask, close } = await open(model.url, { dist });
    await ask("Say hello.");
    counts = {};
    for (let question = 0; question < questions; question++) await ask("Say hello.");
    found[`${name} ${words}`] = counts;
    counts = undefined;
    await close();
  }
  model.close();
}
for (const [name, { promises, parses, timers, ticks }] of Object.entries(found)) {
  const [who, words] = name.split(" ");
  console.log(
    `${who.padEnd(5)} ${words.padStart(3)} chunks  promises ${promises.toFixed(0).padStart(5)}  JSON.parse ${parses.toFixed(0).padStart(4)}  timers ${timers.toFixed(0).padStart(3)}  ticks ${ticks.toFixed(0).padStart(4)}`,
  );
}
const question = found["duet 60"].promises;
const perHundred = found["duet 160"].promises - question;
console.log(`duet: ${(perHundred / 100).toFixed(1)} promises a chunk`);
if (perHundred > limits.perHundred)
  throw new Error(`${perHundred.toFixed(0)} promises for 100 chunks, above ${limits.perHundred}`);
if (question > limits.question)
  throw new Error(`${question.toFixed(0)} promises for a question, above ${limits.question}`);
