/**
 * The page to come back to after signing in, as a path of this site; `/` for everything that could
 * lead elsewhere. Browsers read `//host`, `/\host` and paths with tabs or newlines in them as other
 * sites.
 */
export function safeReturnTo(requested: string | undefined, publicUrl: string): string {
  if (!requested || requested.length > 2_000 || !requested.startsWith('/')) return '/'
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it finds control characters
  if (/[\\\u0000-\u001f\u007f-\u009f]/.test(requested)) return '/'
  const url = URL.parse(requested, publicUrl)
  if (!url || url.origin !== new URL(publicUrl).origin) return '/'
  const path = url.pathname + url.search + url.hash
  // Dots are resolved by now: `/.//host` has become `//host`.
  if (path.startsWith('//')) return '/'
  // A sign-in that ends at the sign-in would go round in circles.
  return /^\/(auth|api|trpc)(\/|$)/.test(url.pathname) ? '/' : path
}
