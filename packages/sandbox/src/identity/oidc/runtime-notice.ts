// oidc-provider warns while it loads when the runtime does not call itself an LTS release, which
// the Node builds of the npm registry never do. The line means nothing here and would appear at
// every start of a local workplace.
if (!process.release.lts) {
  const { warn } = console
  console.warn = (...args: unknown[]) => {
    if (!String(args[0]).includes('oidc-provider WARNING: Unsupported runtime'))
      return warn(...args)
    console.warn = warn
  }
}
