/** What packages import for calls that Duet never makes, by the names of the exports that they ask for. */
const modules = new Map([
  // Turndown parses texts with it; it gets elements of linkedom.
  ["@mixmark-io/domino", ["createDocument"]],
  // Linkedom reads `style.sheet` with it.
  ["cssomnom/parse", ["parse"]],
]);

/** Leaves these modules out of the bundle. A call all the same would say what is missing. */
export const neverCalled = {
  name: "never-called",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^[@a-z]/ }, ({ path }) =>
      modules.has(path) ? { path, namespace: "never-called", sideEffects: false } : undefined,
    );
    onLoad({ filter: /.*/, namespace: "never-called" }, ({ path }) => {
      const error = `throw new Error(${JSON.stringify(`${path} is not part of Duet`)});`;
      const contents = modules.get(path).map((name) => `export function ${name}() { ${error} }`);
      return { contents: contents.join("\n") };
    });
  },
};
