// Has each schema of the MCP packages built when it is first used. The packages build 1,800 before they read the first message, which
// took 10 % of the processor time until `initialize` was answered; the answer needs 280.
import { readFile } from "node:fs/promises";
import { basename } from "node:path";

/** Is what the texts below call: gives an object a property whose value is made when it is first read. */
const defineLazySource = `function defineLazy(object, name, build) {
  let value;
  Object.defineProperty(object, name, { enumerable: true, get: () => value ??= build() });
}`;

/** Matches a schema that a file of `@modelcontextprotocol/core` makes as it is loaded, to the end of its statement. */
const schemaStatement = /^const (\w+Schema) = (.*?);\n(?=[^\s)\]}]|\n)/gms;

export const lazySchemas = {
  name: "lazy-schemas",
  setup({ onResolve, onLoad }) {
    const listed = new Map();
    onResolve({ filter: /^lazy-schemas:/ }, ({ path }) => ({
      path: path.slice("lazy-schemas:".length),
      namespace: "lazy-schemas",
    }));
    // What is imported from a CommonJS module is read from it at each use, so that its getters wait until then.
    onLoad({ filter: /.*/, namespace: "lazy-schemas" }, ({ path }) => {
      const getters = listed.get(path).map((name) => `get ${name}() { return schemas.${name}; }`);
      return { contents: `const schemas = {}; module.exports = { schemas, ${getters.join(", ")} };` };
    });
    onLoad(
      { filter: /@modelcontextprotocol[\\/]core[\\/]dist[\\/](?:schemas|auth)-[\w-]+\.mjs$/ },
      async ({ path }) => {
        const text = await readFile(path, "utf8");
        const names = [...text.matchAll(schemaStatement)].map(([, name]) => name);
        const key = basename(path, ".mjs");
        listed.set(key, names);
        const late = replaceAll(
          text,
          schemaStatement,
          (_, name, made) => `defineLazy(schemas, "${name}", () => ${made});\n`,
        );
        return {
          contents: `import { schemas, ${names.join(", ")} } from "lazy-schemas:${key}";\n${late}\n${defineLazySource}`,
        };
      },
    );
    onLoad(
      { filter: /@modelcontextprotocol[\\/](?:server|client)[\\/]dist[\\/]src-[\w-]+\.mjs$/ },
      async ({ path }) => ({
        contents: `${delayInPackage(await readFile(path, "utf8"))}\n${defineLazySource}`,
      }),
    );
  },
};

/** Does the same in what the packages for servers and clients share, where the schemas are made in a function, and listed in tables. */
function delayInPackage(text) {
  const wire = replaceAll(text, /^function build\$1\(\) \{\n(.*?)^\treturn \{\n(.*?)^\t\};\n\}/gms, delayWire);
  const tables = replaceAll(wire, /^(\t+)("?[\w/]+"?): (s\.\w+)(,?)$/gm, "$1get $2() { return $3; }$4");
  const auth = replaceAll(tables, /^const authSchemas = \{\n(.*?)\};$/gms, (_, rows) => {
    return `const authSchemas = {\n${replaceAll(rows, /^\t(\w+)(,?)$/gm, "\tget $1() { return $1; }$2")}};`;
  });
  return [
    [/^function register\(key, schema\) \{$/gm, "function register(key, schemas) {"],
    [/^\t_specTypeSchemas\[name\] = schema;$/gm, "\tdefineLazy(_specTypeSchemas, name, () => schemas[key]);"],
    [/\(v\) => schema\.safeParse\(v\)/g, "(v) => schemas[key].safeParse(v)"],
    [/register\(key, schemas_exports\[key\]\)/g, "register(key, schemas_exports)"],
    // A schema is built for the names of its fields, which only a question to the user needs.
    [/^const ROOT_KEYS = (.*);$/gm, "let rootKeys; const getRootKeys = () => rootKeys ??= $1;"],
    [/\bROOT_KEYS\./g, "getRootKeys()."],
    [
      /^for \(const \[key, schema\] of Object\.entries\(authSchemas\)\) register\(key, schema\);$/gm,
      "for (const key of Object.keys(authSchemas)) register(key, authSchemas);",
    ],
  ].reduce((changed, [pattern, replacement]) => replaceAll(changed, pattern, replacement), auth);
}

function delayWire(_, statements, rows) {
  const statement = /^\tconst (\w+Schema(?:\$1)?) = (.*?);\n(?=\t[^\s)\]}]|(?!.))/gms;
  const names = new Set([...statements.matchAll(statement)].map(([, name]) => name));
  const row = /^\t\t(\w+): (.*?)(?:,\n(?=\t\t\w)|\n(?!.))/gms;
  const [found, written] = [row, /^\t\t\w+\b/gm].map((pattern) => rows.match(pattern)?.length);
  if (found !== written) throw new Error(`the MCP packages have changed: ${found} of ${written} rows are known`);
  const late = [
    replaceAll(statements, statement, (_, name, made) => `\tdefineLazy(made, "${name}", () => ${made});\n`),
    replaceAll(rows, row, (_, name, made) => `\tdefineLazy(listed, "${name}", () => ${made});\n`),
  ].map((part) =>
    part.replaceAll(/(?<![\w$"]|(?<!\.\.)\.)\w+Schema(?:\$1)?(?![\w$"])/g, (name) =>
      names.has(name) ? `made.${name}` : name,
    ),
  );
  return `function build$1() {\n\tconst made = {}, listed = {};\n${late.join("")}\treturn listed;\n}`;
}

/** Ends the build where the package is written in another way than this file expects. */
function replaceAll(text, pattern, replacement) {
  if (text.search(pattern) < 0) throw new Error(`the MCP packages have changed: nothing matches ${pattern}`);
  return text.replaceAll(pattern, replacement);
}
