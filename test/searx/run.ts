/** `node test/searx/run.ts [index] [dead]`: a search engine to try things with, until Ctrl-C. */
import { findSearx } from "./find-searx.ts";
import { startSearx } from "./start-searx.ts";

const found = await findSearx();
if ("missing" in found) {
  console.error(found.missing);
  process.exit(1);
}
const wanted = process.argv.slice(2);
const engines = (["index", "dead"] as const).filter((engine) => wanted.includes(engine));
const searx = await startSearx(found.python, engines.length > 0 ? engines : ["index"]);
console.log(`export SEARXNG_URL=${searx.url}`);
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => void searx.close());
