import { resolve } from "node:path";

/**
 * Has imports of undici get the parts that Duet uses. A name that is not among them ends the build. HTTP/2 is loaded for the first
 * connection that speaks it: Node's module for it takes 7 ms of processor time, and Duet's own connections never do.
 */
export const smallUndici = {
  name: "small-undici",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^undici$/ }, () => ({ path: resolve("scripts/build/undici.mjs") }));
    onResolve({ filter: /^\.\/client-h2\.js$/ }, () => ({ path: "http2", namespace: "when-called" }));
    onLoad({ filter: /^http2$/, namespace: "when-called" }, () => ({
      contents: 'module.exports = (...given) => require("undici/lib/dispatcher/client-h2.js")(...given);',
      resolveDir: process.cwd(),
    }));
  },
};
