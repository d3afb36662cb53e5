import { resolve } from "node:path";

/** Has imports of undici get the parts that Duet uses. A name that is not among them ends the build. */
export const smallUndici = {
  name: "small-undici",
  setup({ onResolve }) {
    onResolve({ filter: /^undici$/ }, () => ({ path: resolve("scripts/build/undici.mjs") }));
  },
};
