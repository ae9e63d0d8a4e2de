const browsers: readonly [RegExp, string][] = [
  [/\bEdg(e|A|iOS)?\//, 'Edge'],
  [/\b(OPR|Opera)\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(Chrome|CriOS|HeadlessChrome)\//, 'Chrome'],
  // Last: most browsers name Safari as well.
  [/\bSafari\//, 'Safari'],
]

// Android says Linux too, and an iPad may say Macintosh.
const systems: readonly [RegExp, string][] = [
  [/\bAndroid\b/, 'Android'],
  [/\biPad\b/, 'iPadOS'],
  [/\b(iPhone|iPod)\b/, 'iOS'],
  [/\bWindows\b/, 'Windows'],
  [/\b(Macintosh|Mac OS X)\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
]

/**
 * What people call the browser and the system that a User-Agent header names; undefined where it
 * names no known one. Newer versions of browsers report old systems, so no versions are given.
 */
export function deviceName(userAgent: string): {
  browser: string | undefined
  system: string | undefined
} {
  const find = (known: typeof browsers) => known.find(([pattern]) => pattern.test(userAgent))?.[1]
  return { browser: find(browsers), system: find(systems) }
}
