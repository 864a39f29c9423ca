import { type BuildOptions, build, type Plugin } from 'esbuild';

/** `node lib/bundler/main.ts '{"entryPoints": […], "outdir": "…"}'`: writes the scripts, prints how many bytes they have. */

/** A third of zod's bundle are its messages in forty languages; problem documents speak English. */
const englishOnly: Plugin = {
  name: 'english-only',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js';",
    }));
  },
};

/**
 * Functions have their credentials in the environment, the first place that the SDK looks. The other places (profiles,
 * single sign-on, the metadata of a machine) are never come to; they and their clients are left out.
 */
const environmentCredentials: Plugin = {
  name: 'environment-credentials',
  setup({ onResolve, onLoad }) {
    const others =
      /^@aws-sdk\/(credential-provider-(ini|sso|process|web-identity|login|cognito-identity)|token-providers)|^@smithy\/credential-provider-imds/;
    onResolve({ filter: others }, ({ path }) => ({ path, namespace: 'left-out' }));
    onLoad({ filter: /.*/, namespace: 'left-out' }, ({ path }) => ({
      contents: `module.exports = new Proxy({}, { get() { throw new Error(${JSON.stringify(`${path} is not part of a function`)}); } });`,
    }));
  },
};

/** Reads the name of a browser; a part of the SDK that nothing in a function calls. */
const noBrowser: Plugin = {
  name: 'no-browser',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^bowser$/ }, ({ path }) => ({ path, namespace: 'no-browser' }));
    onLoad({ filter: /.*/, namespace: 'no-browser' }, () => ({ contents: 'export default {};' }));
  },
};

const options: BuildOptions = {
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  minify: true,
  metafile: true,
  legalComments: 'none',
  logLevel: 'error',
  outExtension: { '.js': '.mjs' },
  // Some packages still call `require` for Node's own modules.
  banner: { js: "import{createRequire as makeRequire}from'node:module';const require=makeRequire(import.meta.url);" },
  plugins: [englishOnly, environmentCredentials, noBrowser],
};

/** Modules that the function never comes to, since another one serves their routes. */
function servedElsewhere(modules: readonly string[]): Plugin {
  return {
    name: 'served-elsewhere',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^#/ }, ({ path }) =>
        modules.includes(path) ? { path, namespace: 'elsewhere' } : undefined,
      );
      onLoad({ filter: /.*/, namespace: 'elsewhere' }, ({ path }) => ({
        contents: `throw new Error(${JSON.stringify(`${path} is served by another function`)});`,
        loader: 'js',
      }));
    },
  };
}

interface What extends Pick<BuildOptions, 'entryPoints' | 'outdir'> {
  readonly elsewhere?: readonly string[];
}

const { elsewhere = [], ...what }: What = JSON.parse(process.argv[2] ?? '{}');
const plugins = [...(options.plugins ?? []), servedElsewhere(elsewhere)];
const built = await build({ ...options, ...what, plugins });
const sizes = Object.values(built.metafile?.outputs ?? {}).map(({ bytes }) => bytes);
process.stdout.write(String(sizes.reduce((sum, size) => sum + size, 0)));
