// Serves the pages of pages.mjs: `/news…` is 1 MB as a newspaper writes it (a third of it text, beside scripts, menus, teasers
// and comments), `/prose…` is 1 MB of paragraphs and links alone, `/small` is a few lines.
import { createServer } from "node:http";

const size = 1_000_000;
const words =
  "harbour lantern quiet river market window copper morning signal ledger orchard winter bridge paper engine valley summer garden letter stone".split(
    " ",
  );
let state = 42;
const random = (below) => {
  state = (state * 1103515245 + 12345) % 2147483648;
  return state % below;
};
const sentence = () =>
  `The ${Array.from({ length: 9 + random(10) }, () => words[random(words.length)]).join(" ")}, they said.`;
const paragraph = () =>
  `<p class="article__paragraph" data-component="text">${Array.from({ length: 4 }, sentence).join(" ")} <a class="link" href="/story/${random(1e6)}">${words[random(20)]}</a> ${sentence()}</p>\n`;
const teaser = () =>
  `<div class="teaser teaser--small" data-id="${random(1e9)}"><a class="teaser__link" href="/story/${random(1e6)}"><img class="lazy" data-src="/i/${random(1e6)}.jpg" alt=""><span class="teaser__title">${sentence().slice(0, 40)}</span></a></div>\n`;
const comment = () =>
  `<div class="comment" id="c${random(1e9)}"><span class="comment__user">${words[random(20)]}</span><div class="comment__body">${sentence()}</div><button type="button">Reply</button></div>\n`;
const script = () =>
  `<script>window.__state=window.__state||[];window.__state.push(${JSON.stringify(Array.from({ length: 40 }, sentence))});</script>\n`;
const upTo = (length, make) => {
  let text = "";
  while (text.length < length) text += make();
  return text;
};
const page = (body) =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A long day in the valley</title></head><body>${body}</body></html>`;

const news = page(
  `<header class="site-header"><nav>${upTo(30_000, teaser)}</nav></header>${upTo(300_000, script)}<main><article><h1>A long day in the valley</h1>${upTo(330_000, paragraph)}</article></main><aside class="sidebar">${upTo(120_000, teaser)}</aside><section class="comments">${upTo(100_000, comment)}</section>${upTo(120_000, script)}<footer>${sentence()}</footer>`,
);
const prose = page(`<main><article><h1>A long day in the valley</h1>${upTo(size, paragraph)}</article></main>`);
const small = page(`<p>${sentence()}</p>`);

createServer((request, response) => {
  const text = request.url.startsWith("/news") ? news : request.url.startsWith("/prose") ? prose : small;
  response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(text);
}).listen(0, "127.0.0.1", function () {
  console.log(`http://127.0.0.1:${this.address().port}`);
});
