import { builtinModules } from "node:module";

/** These are functions, and are also called themselves; the methods of `process` need it as their object, and it is there anyway. */
const whole = new Set(["assert", "assert/strict", "events", "module", "process", "stream"]);

/**
 * Has each module of Node's own loaded when something of it is first used: an `import` loads the module at once, and a start imports
 * forty of which it uses ten. What is imported is read at each use from an object that has no properties itself, and a prototype that
 * looks them up in the module. Each refers to the list of all, so that all are in one file: what several parts of the program need
 * would be a file of its own otherwise, and a start would open a dozen more of them.
 */
export const lazyBuiltins = {
  name: "lazy-builtins",
  setup({ onResolve, onLoad }) {
    const names = new Set(builtinModules.filter((name) => /^[a-z0-9]/.test(name) && !name.startsWith("node:")));
    const list = "all";
    const load = (name) => `require(${JSON.stringify(name)})`;
    onResolve({ filter: /^(node:)?[a-z0-9_/]+$/ }, ({ path, kind }) => {
      const name = path.replace(/^node:/, "");
      if ((name !== list && !names.has(name)) || kind === "entry-point") return undefined;
      // It is lazy by itself, and a CommonJS module would have no named exports there.
      if (kind === "dynamic-import") return { path: `node:${name}`, external: true };
      const isLate = kind === "import-statement" && !whole.has(name);
      return { path: name, namespace: isLate ? "late-builtin" : "builtin", sideEffects: false };
    });
    onResolve({ filter: /^late:/ }, ({ path }) => ({ path: path.slice("late:".length), namespace: "late-builtin" }));
    onLoad({ filter: /.*/, namespace: "builtin" }, ({ path }) => {
      const all = [...names].flatMap((name) => (whole.has(name) ? [load(name)] : [load(name), load(`late:${name}`)]));
      if (path === list) return { contents: `module.exports = () => [${all}];` };
      return {
        contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)}); module.list = () => ${load(list)};`,
      };
    });
    onLoad({ filter: /.*/, namespace: "late-builtin" }, ({ path }) => ({
      contents: `let loaded;
module.exports = Object.create(new Proxy({}, {
  get: (_, name) => (loaded ??= process.getBuiltinModule(${JSON.stringify(path)}))[name],
}));
module.list = () => ${load(list)};`,
    }));
  },
};
