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
  setup({ onResolve, onLoad, resolve }) {
    onResolve({ filter: names }, async ({ path, kind, resolveDir, pluginData }) => {
      if (kind !== "import-statement" || pluginData === isOwn) return undefined;
      // The file that every import gets: `require` alone would find another one, and the package would be there twice.
      const { path: file } = await resolve(path, { kind, resolveDir, pluginData: isOwn });
      return { path, namespace: "late-package", pluginData: file, sideEffects: false };
    });
    onLoad({ filter: /.*/, namespace: "late-package" }, ({ pluginData: file }) => ({
      contents: `let loaded;
module.exports = Object.create(new Proxy({}, {
  get: (_, name) => (loaded ??= require(${JSON.stringify(file)}))[name],
}));`,
      resolveDir: process.cwd(),
    }));
  },
};

/** Marks what this file itself looks for. */
const isOwn = Symbol("own");
