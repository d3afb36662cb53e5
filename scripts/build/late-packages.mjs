/**
 * Names packages that most runs never use, though files that are always loaded import them: re2js serves schemas with patterns, and the
 * parser stream (it makes Node load its web streams) the servers that answer over HTTP.
 */
const names = /^(re2js|eventsource-parser\/stream)$/;

/**
 * Has these packages evaluated when something of them is first used. What is imported is read at each use from an object that has no
 * properties itself, and a prototype that looks them up in the package.
 */
export const latePackages = {
  name: "late-packages",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: names }, ({ path, kind, resolveDir }) =>
      kind === "import-statement"
        ? { path, namespace: "late-package", pluginData: resolveDir, sideEffects: false }
        : undefined,
    );
    onLoad({ filter: names, namespace: "late-package" }, ({ path, pluginData: resolveDir }) => ({
      contents: `let loaded;
module.exports = Object.create(new Proxy({}, {
  get: (_, name) => (loaded ??= require(${JSON.stringify(path)}))[name],
}));`,
      resolveDir,
    }));
  },
};
