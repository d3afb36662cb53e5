import type { Text } from "../../kit/locale.ts";
import type { ServerSettings } from "../config.ts";

/** Variables with which a program runs other code than its own, lets a library do it, or fetches its code elsewhere. */
const patterns = [
  // The loader and the libraries of the system; `openssl.cnf` and converters name libraries to load.
  "LD_PRELOAD LD_LIBRARY_PATH LD_AUDIT DYLD_.+ GLIBC_TUNABLES GCONV_PATH",
  "OPENSSL_CONF OPENSSL_CONF_INCLUDE OPENSSL_ENGINES OPENSSL_MODULES",
  // Shells, and which programs are found and called.
  "PATH PATHEXT COMSPEC SHELL BASH_ENV BASH_FUNC_.+ BASHOPTS SHELLOPTS ENV ZDOTDIR FPATH PROMPT_COMMAND PS4",
  "EDITOR VISUAL PAGER MANPAGER LESSOPEN LESSCLOSE BROWSER SSH_ASKPASS SUDO_ASKPASS",
  "GIT_SSH GIT_SSH_COMMAND GIT_CONFIG GIT_CONFIG_.+ GIT_EXEC_PATH GIT_EXTERNAL_DIFF GIT_ASKPASS GIT_DIR",
  "GIT_EDITOR GIT_SEQUENCE_EDITOR GIT_PAGER GIT_PROXY_COMMAND GIT_TEMPLATE_DIR",
  // Languages.
  "NODE_OPTIONS NODE_PATH NODE_REPL_EXTERNAL_MODULE BUN_OPTIONS",
  "PYTHONPATH PYTHONSTARTUP PYTHONHOME PYTHONWARNINGS PYTHONBREAKPOINT PYTHONINSPECT",
  "PYTHONUSERBASE PYTHONPLATLIBDIR PYTHONEXECUTABLE PYTHONPYCACHEPREFIX",
  "PERLLIB PERL5LIB PERL5OPT PERL5DB RUBYLIB RUBYOPT GEM_HOME GEM_PATH BUNDLE_GEMFILE",
  "JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS _JAVA_OPTIONS CLASSPATH",
  "DOTNET_STARTUP_HOOKS DOTNET_ADDITIONAL_DEPS DOTNET_SHARED_STORE CORECLR_PROFILER.* COR_PROFILER.*",
  "PHPRC PHP_INI_SCAN_DIR LUA_INIT.* LUA_PATH.* LUA_CPATH.* GOFLAGS",
  // Where launchers fetch packages.
  "NPM_CONFIG_.+ YARN_REGISTRY YARN_NPM_REGISTRY_SERVER YARN_PLUGINS YARN_RC_FILENAME YARN_YARN_PATH",
  "BUN_CONFIG_REGISTRY COREPACK_NPM_REGISTRY GOPROXY GOTOOLCHAIN PIP_.+ PIPX_DEFAULT_PYTHON",
  "UV_INDEX UV_INDEX_URL UV_DEFAULT_INDEX UV_EXTRA_INDEX_URL UV_FIND_LINKS UV_CONFIG_FILE UV_ENV_FILE",
  "UV_OVERRIDE UV_PYTHON UV_PYTHON_INSTALL_MIRROR UV_INSECURE_HOST",
];

const dangerous = new RegExp(`^(?:${patterns.join(" ").replaceAll(" ", "|")})$`, "i");

/** Returns true when a variable of this name can make a program run somebody else's code. */
export function isDangerousVariable(name: string): boolean {
  return dangerous.test(name);
}

/** Names a server and those of its variables that can make it run other code than its own. */
export interface DangerousVariables {
  server: string;
  names: string[];
}

/** Finds such variables for a warning. They are used all the same because the user set them in the user's own file. */
export function findDangerousVariables(
  servers: readonly Pick<ServerSettings, "name" | "transport">[],
): DangerousVariables[] {
  return servers.flatMap(({ name, transport }) => {
    if (transport.type !== "stdio") return [];
    const given = [...Object.keys(transport.env), ...transport.inheritEnv.filter((each) => each !== "PATH")];
    const names = [...new Set(given)].filter(isDangerousVariable);
    return names.length > 0 ? [{ server: name, names }] : [];
  });
}

export function describeDangerousVariables({ server, names }: DangerousVariables): Text {
  const list = names.join(", ");
  return {
    zh: `服务器 ${server} 得到的变量 ${list} 能让它运行别的代码`,
    en: `the server ${server} gets ${list}, which can make it run other code`,
  };
}
