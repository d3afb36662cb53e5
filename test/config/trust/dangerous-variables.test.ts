import { expect, test } from "vitest";
import {
  describeDangerousVariables,
  findDangerousVariables,
  isDangerousVariable,
} from "../../../src/config/trust/dangerous-variables.ts";
import { load } from "../workplace.ts";

test.each([
  ...["NODE_OPTIONS", "LD_PRELOAD", "LD_LIBRARY_PATH", "DYLD_INSERT_LIBRARIES", "PATH", "Path", "PYTHONPATH"],
  ...["PYTHONSTARTUP", "BASH_ENV", "ENV", "PERL5OPT", "RUBYOPT", "GIT_SSH_COMMAND", "npm_config_registry"],
  ...["OPENSSL_CONF", "JDK_JAVA_OPTIONS", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "UV_INDEX_URL", "UV_DEFAULT_INDEX"],
  ...["PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "NPM_CONFIG_REGISTRY", "GLIBC_TUNABLES", "GCONV_PATH", "PYTHONHOME"],
  ...["PYTHONWARNINGS", "NODE_PATH", "RUBYLIB", "PERL5LIB", "LESSOPEN", "EDITOR", "GIT_ASKPASS", "GIT_EDITOR"],
  ...["GIT_CONFIG_COUNT", "PROMPT_COMMAND", "BASH_FUNC_ls%%", "SHELLOPTS", "PS4", "BROWSER", "CLASSPATH"],
])("%s can make a program run other code", (name) => {
  expect(isDangerousVariable(name)).toBe(true);
});

test.each([
  ...["AMAP_MAPS_API_KEY", "NODE_ENV", "MY_PATH", "ENVIRONMENT", "HOME", "LANG"],
  ...["NODE_EXTRA_CA_CERTS", "GIT_AUTHOR_NAME", "UV_CACHE_DIR", "PIP"],
])("%s cannot", (name) => {
  expect(isDangerousVariable(name)).toBe(false);
});

test("the servers that are given some are told with their names, those inherited too", async () => {
  const { servers } = await load({
    file: {
      mcpServers: {
        a: { command: "x", env: { NODE_OPTIONS: "--require ./x.js", LEVEL: "1" }, inheritEnv: ["LD_PRELOAD", "PATH"] },
        b: { command: "x", env: { LEVEL: "1" } },
        c: { url: "http://x" },
      },
    },
  });
  const found = findDangerousVariables(servers);
  expect(found).toEqual([{ server: "a", names: ["NODE_OPTIONS", "LD_PRELOAD"] }]);
  expect(found.map((each) => describeDangerousVariables(each).en)).toEqual([
    "the server a gets NODE_OPTIONS, LD_PRELOAD, which can make it run other code",
  ]);
});
