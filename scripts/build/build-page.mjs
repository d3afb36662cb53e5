// Makes the pages: each one HTML text with its script and its style, which loads nothing from anywhere.
import { readFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";

const folder = "src/server/web";

/** The page that hosts show of a run: its one text, and what esbuild says of its parts. */
export function buildRunPage() {
  return buildPage({ shell: "page.html", style: "page.css", script: "host/main.ts" });
}

/** The page at `/`, likewise. */
export function buildChatPage() {
  return buildPage({ shell: "chat/chat.html", style: "chat/chat.css", script: "chat/main.ts" });
}

/** What the page at `/` loads when it first needs it: scripts of their own, each with its name. */
export function buildPageParts() {
  return Promise.all(
    ["code-part.ts", "math-part.ts", "operator-part.tsx", "plot-part.ts", "review-part.ts"].map(async (file) => {
      const [name] = file.split("-");
      const { text, metafile } = await bundle(`${folder}/parts/${file}`, "esm");
      return { name, text, metafile };
    }),
  );
}

async function buildPage({ shell, style, script }) {
  // The indentation between elements is for those who write the page.
  const text = (await readFile(`${folder}/${shell}`, "utf8")).replace(/>\s*\n\s*</g, "><");
  const parts = {
    "/* page.css */": await bundle(`${folder}/${style}`),
    "/* page.js */": await bundle(`${folder}/${script}`),
  };
  return {
    text: Object.entries(parts).reduce((page, [place, part]) => page.replace(place, () => part.text.trim()), text),
    metafiles: Object.values(parts).map(({ metafile }) => metafile),
  };
}

// Of the package's description, the page needs no more.
const versionAlone = {
  name: "version-alone",
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]package\.json$/ }, async ({ path }) => {
      const { version } = JSON.parse(await readFile(path, "utf8"));
      return { contents: JSON.stringify({ version }), loader: "json" };
    });
  },
};

// Of a limit, the page needs its name, unit and title. A row that is written in another way is only larger.
const limitsInShort = {
  name: "limits-in-short",
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]core[\\/]limits\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, "utf8");
      const contents = text
        .replace(
          /^ {4}(?:key|field|factor|help|fileHelp|environment|flag|flagPath|embedded|default|range|set): .*,\n/gm,
          "",
        )
        .replace(/^ {6}explain: \(limit\) => \(\{(?: .*|\n(?:.*\n){2} {6})\}\),\n/gm, "");
      return { contents, loader: "ts" };
    });
  },
};

// The page carries the values of this file and not Zod, from whose schemas they are made.
const shapesByValue = {
  name: "shapes-by-value",
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]run[\\/]known-shapes\.ts$/ }, async ({ path }) => {
      const shapes = Object.entries(await import(pathToFileURL(path)));
      return { contents: shapes.map(([name, shape]) => `export const ${name} = ${JSON.stringify(shape)};`).join("\n") };
    });
  },
};

// The reason why a failure is ignored is for the reader of the code. A call that is written in another way is only larger.
const reasonsLeftOut = {
  name: "reasons-left-out",
  setup({ onLoad }) {
    const call = /\bignoreRejection\(((?:[^"'`()]|\((?:[^"'`()]|\([^"'`()]*\))*\))*),\s*"[^"]*",?\s*\)/g;
    onLoad({ filter: /[\\/]server[\\/]web[\\/].*\.tsx?$/ }, async ({ path }) => {
      const text = await readFile(path, "utf8");
      return { contents: text.replace(call, "ignoreRejection($1)"), loader: path.endsWith("x") ? "tsx" : "ts" };
    });
  },
};

// What libraries say to programmers who call them in a wrong way is not for the people at the page.
const libraryErrorsInShort = {
  name: "library-errors-in-short",
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]node_modules[\\/](?:marked|eventsource-parser)[\\/].*\.js$/ }, async ({ path }) => {
      const text = await readFile(path, "utf8");
      return { contents: text.replace(/(new (?:Type)?Error\()(?:"[^"]*"|'[^']*'|`[^`]*`)\)/g, "$1)") };
    });
  },
};

/** A style or a script with all that it imports. What would end its element early, the bundler writes in another way. */
async function bundle(entry, format = "iife") {
  const { outputFiles, metafile } = await build({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    write: false,
    platform: "browser",
    format,
    target: ["es2022", "chrome123", "safari17.5", "firefox120"],
    charset: "utf8",
    jsx: "automatic",
    jsxImportSource: "preact",
    legalComments: "none",
    plugins: [versionAlone, limitsInShort, shapesByValue, reasonsLeftOut, libraryErrorsInShort],
    logLevel: "warning",
    metafile: true,
  });
  return { text: outputFiles[0].text, metafile };
}
