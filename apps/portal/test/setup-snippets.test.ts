import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { setupSnippets } from '../src/sso/setup-snippets.ts'

const app = {
  name: 'Cloud',
  issuer: 'https://id.example.com/application/o/acme-cloud-x1/',
  discoveryUrl:
    'https://id.example.com/application/o/acme-cloud-x1/.well-known/openid-configuration',
  clientId: 'c123',
  redirectUris: [
    'https://first.example.com/cb',
    'https://git.example.com/users/auth/openid_connect/callback',
  ],
}
const text = (id: string, changes: Partial<typeof app> = {}) =>
  setupSnippets({ ...app, ...changes }).find((snippet) => snippet.id === id)?.text ?? ''

describe('setup snippets', () => {
  it('carry issuer or discovery address and client id, and only a placeholder for the secret', () => {
    for (const snippet of setupSnippets(app)) {
      expect(snippet.text).toMatch(/id\.example\.com\/application\/o\/acme-cloud-x1\//)
      expect(snippet.text).toContain('c123')
      expect(snippet.text).toContain('PUT-THE-CLIENT-SECRET-HERE')
    }
  })

  it('take the redirect address that ends as the application’s own, else the first', () => {
    expect(text('gitlab')).toContain(
      "redirect_uri: 'https://git.example.com/users/auth/openid_connect/callback'",
    )
    expect(text('oauth2-proxy')).toContain('redirect_url = "https://first.example.com/cb"')
  })

  it('pass a name to the shell as one word, whatever it contains', () => {
    const name = `Eve's $(echo no) "app"; echo \\`
    const line = text('nextcloud', { name }).replace('php occ user_oidc:provider', 'printf "%s\\n"')
    expect(execFileSync('sh', ['-c', line], { encoding: 'utf8' }).split('\n')[0]).toBe(name)
  })

  it('close no string of a Ruby file early and open no interpolation', () => {
    expect(text('gitlab', { name: "it's #{1} \\" })).toContain("label: 'it\\'s #{1} \\\\',")
  })
})
