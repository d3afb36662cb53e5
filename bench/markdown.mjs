// What Markdown costs on the way to the screen: CPU time of texts that come in 10,000 deltas into 200 columns, with a frame
// every 30 deltas. An answer of 100 KB has to stay under its limit; texts made to be slow may cost four times as much when
// they are four times as long, not sixteen times.
import { createMarkdownStream } from "../src/cli/terminal/markdown/markdown-stream.ts";

const mostMs = 900;
const mostGrowth = 9;
const deltas = 10_000;
const deltasPerFrame = 30;
const answer = `## 标题 heading

Some **bold** text with \`code\` and [1] a [link](https://a.example/x) 中文段落，很长的中文。

- one
- two **x**
  - nested

| a | b |
|---|---|
| 苹果 | 2 |

\`\`\`ts
const x: number = 1; // hi
\`\`\`

> quote

`;
const hostile = {
  "one paragraph": "word **bold** and `code` 中文，段落 ",
  "one list": "- item **bold** and text\n",
  "one block of code": "const x: number = 1; // hi\n",
  "one table": "| 苹果 cell | **bold** value | `code` and more | 1 |\n|-|-|-|-|\n",
  "one line of code": "var a = 1; ",
  angles: "<",
  brackets: "[",
  stars: "*",
  backticks: "a` `` ``` ",
  images: "![a](",
  definitions: "[a]: https://a.example\n\n",
};

await cpuTime(answer, 50_000);
const spent = await cpuTime(answer, 100_000);
console.log(`an answer of 100 KB      ${spent.toFixed(0)} ms`);
const failures = spent > mostMs ? [`an answer costs ${spent.toFixed(0)} ms, above ${mostMs} ms`] : [];
for (const [name, unit] of Object.entries(hostile)) {
  const [short, long] = [await cpuTime(unit, 100_000), await cpuTime(unit, 400_000)];
  console.log(`${name.padEnd(24)} ${short.toFixed(0)} ms, ${long.toFixed(0)} ms when four times as long`);
  // Below some milliseconds there is only noise.
  if (long > mostGrowth * Math.max(short, 50)) failures.push(`${name} grows too fast`);
}
if (failures.length > 0) throw new Error(failures.join("; "));

/** Milliseconds of CPU for this many characters, in deltas of the same size for each text. */
async function cpuTime(unit, length) {
  const text =
    (unit.startsWith("const") || unit.startsWith("var") ? "```ts\n" : "") + unit.repeat(length / unit.length);
  const step = Math.ceil(length / deltas / 10) * 10;
  const stream = createMarkdownStream({ columns: () => 200, hyperlinks: true });
  const before = process.cpuUsage();
  for (let at = 0, count = 0; at < text.length; at += step, count++) {
    stream.push(text.slice(at, at + step));
    stream.take();
    if (count % deltasPerFrame > 0) continue;
    stream.pending(48);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await stream.end();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
