/**
 * The nonce that the server wrote into the page for styles made at run time; empty when the page
 * was served without one.
 */
export function styleNonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? ''
}

/**
 * Hands the nonce to the libraries below Mantine (scroll lock of dialogs) that look for it under
 * webpack's name.
 */
export function shareStyleNonce(): void {
  Object.assign(globalThis, { __webpack_nonce__: styleNonce() })
}
