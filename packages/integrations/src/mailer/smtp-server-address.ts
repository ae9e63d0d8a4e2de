export interface SmtpServer {
  host: string
  port: number
  secure: boolean
  requireTLS: boolean
  auth?: { user: string; pass: string }
}

/**
 * Reads `smtp://` and `smtps://` addresses. Throws without quoting them, because they hold the
 * password.
 */
export function smtpServer(text: string): SmtpServer {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !['smtp:', 'smtps:'].includes(url.protocol) || url.hostname === '') {
    throw new Error('The address of the outgoing mail server must be smtp://host or smtps://host.')
  }
  const secure = url.protocol === 'smtps:'
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  const auth =
    url.username === ''
      ? undefined
      : { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) }
  const local = ['localhost', '127.0.0.1', '::1'].includes(host)
  // A password must not cross a network in clear text because an attacker removed STARTTLS from the
  // greeting.
  const requireTLS =
    !secure &&
    (url.searchParams.get('requireTLS') ?? String(auth !== undefined && !local)) === 'true'
  const port = url.port === '' ? (secure ? 465 : 587) : Number(url.port)
  return { host, port, secure, requireTLS, ...(auth && { auth }) }
}
