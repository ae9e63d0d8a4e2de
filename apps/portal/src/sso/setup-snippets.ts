import { translations } from '@atrium/ui/messages'

const t = translations('portal.sso')
/**
 * What an application needs to know to let people sign in. The secret is left to be filled in: it
 * is shown once and kept nowhere.
 */
export interface SignInDetails {
  /** What people call the application. */
  name: string
  issuer: string
  discoveryUrl: string
  clientId: string
  redirectUris: readonly string[]
}

export interface Snippet {
  id: string
  label: string
  /** Where it goes. */
  about: string
  /**
   * The redirect address that this application uses, so that a wrong one is noticed before the
   * first sign-in.
   */
  redirectHint: string
  text: string
}

const secret = 'PUT-THE-CLIENT-SECRET-HERE'

/**
 * Ready settings of common applications. All of them read the rest from the discovery address by
 * themselves.
 */
export function setupSnippets(app: SignInDetails): Snippet[] {
  return [
    {
      id: 'nextcloud',
      label: 'Nextcloud',
      about: t('setup.nextcloud'),
      redirectHint: 'https://your-nextcloud/apps/user_oidc/code',
      text: nextcloud(app),
    },
    {
      id: 'gitlab',
      label: 'GitLab',
      about: t('setup.gitlab'),
      redirectHint: 'https://your-gitlab/users/auth/openid_connect/callback',
      text: gitlab(app),
    },
    {
      id: 'oauth2-proxy',
      label: 'oauth2-proxy',
      about: t('setup.oauth2Proxy'),
      redirectHint: 'https://your-site/oauth2/callback',
      text: oauth2Proxy(app),
    },
    {
      id: 'other',
      label: t('setup.otherLabel'),
      about: t('setup.other'),
      redirectHint: t('setup.otherRedirect'),
      text: environment(app),
    },
  ]
}

function nextcloud({ name, clientId, discoveryUrl }: SignInDetails): string {
  return [
    `php occ user_oidc:provider ${inShell(name)} \\`,
    `  --clientid=${inShell(clientId)} \\`,
    `  --clientsecret=${inShell(secret)} \\`,
    `  --discoveryuri=${inShell(discoveryUrl)} \\`,
    "  --scope='openid profile email'",
  ].join('\n')
}

function gitlab({ name, issuer, clientId, redirectUris }: SignInDetails): string {
  return `gitlab_rails['omniauth_providers'] = [
  {
    name: 'openid_connect',
    label: ${inRuby(name)},
    args: {
      name: 'openid_connect',
      scope: ['openid', 'profile', 'email'],
      response_type: 'code',
      issuer: ${inRuby(issuer)},
      discovery: true,
      pkce: true,
      uid_field: 'sub',
      client_options: {
        identifier: ${inRuby(clientId)},
        secret: ${inRuby(secret)},
        redirect_uri: ${inRuby(fitting(redirectUris, '/users/auth/openid_connect/callback'))}
      }
    }
  }
]`
}

function oauth2Proxy({ issuer, clientId, redirectUris }: SignInDetails): string {
  return [
    'provider = "oidc"',
    `oidc_issuer_url = ${inToml(issuer)}`,
    `client_id = ${inToml(clientId)}`,
    `client_secret = ${inToml(secret)}`,
    `redirect_url = ${inToml(fitting(redirectUris, '/oauth2/callback'))}`,
    'code_challenge_method = "S256"',
    'email_domains = ["*"]',
  ].join('\n')
}

function environment({ issuer, clientId, discoveryUrl, redirectUris }: SignInDetails): string {
  return [
    `OIDC_ISSUER=${issuer}`,
    `OIDC_DISCOVERY_URL=${discoveryUrl}`,
    `OIDC_CLIENT_ID=${clientId}`,
    `OIDC_CLIENT_SECRET=${secret}`,
    `OIDC_REDIRECT_URI=${redirectUris[0] ?? ''}`,
    'OIDC_SCOPES="openid profile email"',
  ].join('\n')
}

/** The registered address that ends as the application's own does, else the first. */
function fitting(redirectUris: readonly string[], ending: string): string {
  return redirectUris.find((uri) => uri.endsWith(ending)) ?? redirectUris[0] ?? ''
}

// A name is free text, and what is pasted into a shell or a Ruby file is run: single quotes take
// nothing inside them for code.
function inShell(value: string): string {
  return `'${value.replaceAll("'", String.raw`'\''`)}'`
}

function inRuby(value: string): string {
  return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}

function inToml(value: string): string {
  return JSON.stringify(value)
}
