// A program that works on pages which never end, until somebody ends it.
import { createHeavyWork } from "../../../src/tools/workers/heavy-work.ts";
import { endless } from "./pages.ts";

const work = createHeavyWork({ limitMs: 60_000 });
const { signal } = new AbortController();
const endlessly = [work.run("page", endless(), signal), work.run("page", endless(), signal)];
console.log("working");
await Promise.all(endlessly);
