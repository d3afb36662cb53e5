import { expect, test } from "vitest";
import { findStableNodePath, listNpxPaths, toLaunch } from "../../../src/cli/install/launch.ts";
import { built, linux, windows } from "./machine.ts";

const fetched = { ...built, file: "/home/ada/.npm/_npx/4c3a/node_modules/duet-mcp/dist/duet.js" };
const onWindows = {
  ...built,
  platform: "win32" as const,
  node: "C:\\Program Files\\nodejs\\node.exe",
  file: "C:\\Users\\ada\\AppData\\Local\\npm-cache\\_npx\\4c3a\\node_modules\\duet-mcp\\dist\\duet.js",
};
const npxScript = "C:\\Program Files\\nodejs\\node_modules\\npm\\bin\\npx-cli.js";

test("an installed program is started by this node and its own path", () => {
  expect(toLaunch(built, ["--expose", "both"])).toEqual({
    command: "/absolute/path/to/node",
    args: ["/absolute/path/to/duet/dist/duet.js", "serve", "--expose", "both"],
  });
});

test("what npx has fetched for one run is fetched again, in this version", () => {
  expect(toLaunch(fetched, [])).toEqual({ command: "/absolute/path/to/npx", args: ["-y", "duet-mcp@1.2.3", "serve"] });
  expect(toLaunch({ ...fetched, npx: undefined }, []).command).toBe("npx");
});

test("on Windows npx runs without a batch file, or by a shell where its script is not found", () => {
  const serve = ["-y", "duet-mcp@1.2.3", "serve"];
  expect(toLaunch({ ...onWindows, npx: npxScript }, [])).toEqual({
    command: onWindows.node,
    args: [npxScript, ...serve],
  });
  expect(toLaunch({ ...onWindows, npx: undefined }, [])).toEqual({ command: "cmd", args: ["/c", "npx", ...serve] });
});

test("npx is looked for beside node, then on the path", () => {
  const machine = { ...linux, environment: { PATH: "/usr/bin:relative:/opt/bin" } };
  expect(listNpxPaths(machine, "/opt/node/bin")).toEqual(["/opt/node/bin/npx", "/usr/bin/npx", "/opt/bin/npx"]);
  expect(listNpxPaths(windows, "C:\\Program Files\\nodejs")).toEqual([npxScript]);
});

test("a node of Homebrew is named by the link that outlives its versions", () => {
  expect(findStableNodePath("/opt/homebrew/Cellar/node/24.21.0/bin/node")).toBe("/opt/homebrew/opt/node/bin/node");
  expect(findStableNodePath("/usr/local/Cellar/node@22/22.19.0_1/bin/node")).toBe("/usr/local/opt/node@22/bin/node");
  expect(findStableNodePath("/home/ada/.nvm/versions/node/v24.21.0/bin/node")).toBeUndefined();
});
