// Prints how the blocks of code of each page are tested: run, parsed, or neither. Their tags are those of docs/README.md.
import { countBlocks } from "../test/documents/blocks.ts";

const rows = countBlocks();
const total = { run: 0, parsed: 0, untested: 0 };
console.log("| page | run | parsed | neither |\n| --- | ---: | ---: | ---: |");
for (const [file, count] of rows) {
  for (const way of Object.keys(total)) total[way] += count[way];
  console.log(`| ${file} | ${count.run} | ${count.parsed} | ${count.untested} |`);
}
console.log(`| all ${rows.length} pages | ${total.run} | ${total.parsed} | ${total.untested} |`);
