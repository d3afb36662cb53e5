// A process that asks: `node in-process.mjs floor|DIST MODEL_URL`. A line `{ "count": 100, "atOnce": 10 }` on stdin asks so many questions;
// a line on stdout tells their processor time, their times and the memory.
import { createInterface } from "node:readline";
import { openDuet, tools } from "../contestants.mjs";
import { askAll } from "./ask-all.mjs";

const [contestant, url] = process.argv.slice(2);
const { ask, close } = await (contestant === "floor"
  ? import("../floor/loop.mjs").then(({ openFloor }) => openFloor(url, tools))
  : openDuet(url, { dist: contestant, store: "disk" }));
console.log("{}");
for await (const line of createInterface({ input: process.stdin })) {
  const { count, atOnce } = JSON.parse(line);
  const before = process.cpuUsage();
  const times = await askAll(ask, count, atOnce);
  const { user, system } = process.cpuUsage(before);
  const rss = process.resourceUsage().maxRSS / 1024;
  console.log(JSON.stringify({ cpu: (user + system) / 1000 / count, times, rss }));
}
await close();
