import { builtinModules } from "node:module";

/**
 * An `import` of a module of Node's own reads each of its exports at once, lazy ones too (whole streams, sockets); taken this way
 * they stay lazy, which start-up feels. Each refers to the list of all, so that all are in one file: what several parts of the
 * program need would be a file of its own otherwise, and a start would open a dozen more of them.
 */
export const lazyBuiltins = {
  name: "lazy-builtins",
  setup({ onResolve, onLoad }) {
    const names = new Set(builtinModules.filter((name) => /^[a-z0-9]/.test(name) && !name.startsWith("node:")));
    const list = "all";
    onResolve({ filter: /^(node:)?[a-z0-9_/]+$/ }, ({ path, kind }) => {
      const name = path.replace(/^node:/, "");
      if ((name !== list && !names.has(name)) || kind === "entry-point") return undefined;
      // It is lazy by itself, and a CommonJS module would have no named exports there.
      if (kind === "dynamic-import") return { path: `node:${name}`, external: true };
      return { path: name, namespace: "builtin", sideEffects: false };
    });
    onLoad({ filter: /.*/, namespace: "builtin" }, ({ path }) => {
      const load = (name) => `require(${JSON.stringify(name)})`;
      if (path === list) return { contents: `module.exports = () => [${[...names].map(load)}];` };
      return {
        contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)}); module.list = () => ${load(list)};`,
      };
    });
  },
};
