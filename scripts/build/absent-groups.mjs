// Puts into the program what each group of settings holds where it is absent: to find out by their schemas takes 10 ms of each start.
import { resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";

const file = resolve("src/config/schema/absent-groups.ts");

export const knownAbsentGroups = {
  name: "absent-groups",
  setup({ onLoad }) {
    onLoad({ filter: /absent-groups\.ts$/ }, async ({ path }) => {
      if (path !== file) return undefined;
      const { absentGroups } = await import(file);
      const rows = Object.entries(absentGroups).map(([key, getDefaults]) => `${key}: () => (${write(getDefaults())})`);
      return { contents: `export const absentGroups = { ${rows.join(", ")} };` };
    });
  },
};

function write(value) {
  const text = JSON.stringify(value);
  if (!isDeepStrictEqual(JSON.parse(text), value)) throw new Error(`not JSON: ${text}`);
  return text;
}
