import type { Program } from "../../../src/cli/install/launch.ts";
import type { Machine } from "../../../src/cli/install/machine.ts";

/** A Linux machine with nothing special about it. */
export const linux: Machine = {
  platform: "linux",
  home: "/home/ada",
  environment: {},
  directory: "/home/ada/project",
  packages: [],
};

export const mac: Machine = { ...linux, platform: "darwin", home: "/Users/ada" };

export const windows: Machine = {
  platform: "win32",
  home: "C:\\Users\\ada",
  environment: { APPDATA: "C:\\Users\\ada\\AppData\\Roaming", LOCALAPPDATA: "C:\\Users\\ada\\AppData\\Local" },
  directory: "D:\\project",
  packages: ["Microsoft.Todos_8wekyb3d8bbwe", "Claude_pzs8sxrjxfjjc"],
};

/** Duet as it lies in a clone. */
export const built: Program = {
  platform: "linux",
  node: "/absolute/path/to/node",
  file: "/absolute/path/to/duet/dist/duet.js",
  version: "1.2.3",
  npx: "/absolute/path/to/npx",
};

/** How a host starts that one with a configuration of the user's. */
export const launch = {
  command: built.node,
  args: [built.file, "serve", "--config", "/absolute/path/to/duet.config.json"],
};
