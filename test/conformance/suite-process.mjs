// Loads the conformance suite once and runs any of its scenarios, side by side. The suite itself only offers a command line
// that runs one scenario after another, most of which wait. Its one argument is the file of the suite.
import { AsyncLocalStorage } from "node:async_hooks";
import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { pathToFileURL } from "node:url";
import { inspect } from "node:util";

const suite = pathToFileURL(process.argv[2]).href;

/** In place of its command line, the suite gives what that calls; its names are those of this version alone. */
function openSource(text) {
  const [, record, run] = /await (\w+)\(\(\)=>(\w+)\(\w+\.url,/.exec(text) ?? [];
  const opened = text.replace(/\w+\.parse\(\);\s*export\{\};/, `0;export{${record} as record,${run} as runScenario};`);
  if (record === undefined || opened === text) throw new Error(`${suite} is not the suite that this file knows`);
  // A wait for the state of a task ends when it is reached. Another one, with a number for its limit, is for what never comes.
  return opened
    .replace(/^#!.*/, "")
    .replaceAll(/(?<!new Promise\(\w=>)\bsetTimeout\(/g, "startPatientTimer(")
    .replaceAll("AbortSignal.timeout(", "AbortSignal.timeout(10*")
    .replaceAll(/Date\.now\(\)-(\w+)<([a-z]\w*)/g, "(Date.now()-$1)/10<$2")
    .replaceAll(/Date\.now\(\)-(\w+)<(\d\w*)/g, "(Date.now()-$1)/stretchLimit()<$2");
}

registerHooks({
  load(url, context, next) {
    if (url !== suite) return next(url, context);
    return { format: "module", shortCircuit: true, source: openSource(readFileSync(process.argv[2], "utf8")) };
  },
});

/** Says how patient the run is that a timer belongs to. */
const runs = new AsyncLocalStorage();

/**
 * The suite gives answers 10 s at most and reads some streams for 500 to 1,500 ms alone, which a busy machine can need for the
 * first frame. A stream that ends, or has the frames that are waited for, is not waited for any longer. Pauses are left as they are.
 */
globalThis.stretchLimit = () => Math.max(1, runs.getStore().patience / 2);
globalThis.startPatientTimer = (callback, delayMs, ...values) => setTimeout(callback, stretch(delayMs), ...values);

function stretch(delayMs) {
  if (delayMs < 500) return delayMs;
  // One of these waits to its end, for a frame that must not come.
  if (delayMs === 1500) return 4 * delayMs;
  return (delayMs > 1000 ? stretchLimit() : runs.getStore().patience) * delayMs;
}

const { record, runScenario } = await import(suite);
// It describes each step; only the checks count.
console.log = () => {};

process.on("message", ({ id, url, scenario, revision, timeoutMs, patience }) => {
  const run = () => record(() => runScenario(url, scenario, undefined, revision, true, timeoutMs));
  runs.run({ patience }, run).then(
    ({ checks }) => process.send({ id, checks }),
    (thrown) => process.send({ id, checks: [{ id: scenario, status: "FAILURE", errorMessage: inspect(thrown) }] }),
  );
});
process.on("disconnect", () => process.exit(0));
process.send("ready");
