import type { KoaContextWithOIDC } from 'oidc-provider'
import { html, Markup, type PageInput, page } from '../../page.ts'
import { messagePage } from '../login/pages.ts'
import type { Store } from '../records.ts'

/** Name of the grant of RFC 8628. */
export const deviceCodeGrant = 'urn:ietf:params:oauth:grant-type:device_code'

/** Where the pages of codes are, below the address of an application. */
export const deviceRoute = '/device'

/** The page on which people enter a code. */
export function codePage(wrong: boolean): PageInput {
  return {
    title: 'Enter the code',
    body: html`<h1>Enter the code</h1><p class="soft">that your program shows. This page belongs to the sandbox.</p>
${wrong && html`<p class="alert" role="alert">Invalid code</p>`}
<section class="card"><form method="get" action="/device"><label for="code">Code</label>
<input id="code" name="code" inputmode="numeric" autocomplete="off" required><div class="actions"><button>Continue</button></div></form></section>`,
  }
}

const show = (ctx: KoaContextWithOIDC, input: PageInput) => {
  const { body, headers } = page(input)
  ctx.set(headers)
  ctx.body = body
}

/** The pages of codes, and what authentik leaves out of the tokens that come of them. */
export function devicePages(store: Store) {
  return {
    enabled: true,
    charset: 'digits' as const,
    mask: '*********',
    userCodeInputSource: (ctx: KoaContextWithOIDC) => show(ctx, codePage(true)),
    userCodeConfirmSource(ctx: KoaContextWithOIDC, form: string) {
      const { clientId } = ctx.oidc.client ?? { clientId: '' }
      const provider = store.records.providers.find((one) => one.client_id === clientId)
      const named = store.records.applications.find((one) => one.provider === provider?.pk)
      const name = named?.name ?? clientId
      show(ctx, {
        title: `Allow ${name}`,
        body: html`<h1>Allow ${name}</h1><p>You're about to sign into ${name}. Continue only if you started this yourself.</p>
<section class="card">${new Markup(form)}<button form="op.deviceConfirmForm">Continue</button></section>`,
      })
    },
    /**
     * authentik keeps no session with a code: its tokens name none, no methods, and as the time of
     * the sign-in the time at which they were issued.
     */
    async successSource(ctx: KoaContextWithOIDC) {
      const code = ctx.oidc.entities.DeviceCode
      if (!code) throw new Error('no code was confirmed')
      Object.assign(code, {
        sessionUid: undefined,
        sid: undefined,
        amr: undefined,
        authTime: Math.floor(store.now() / 1000),
      })
      await code.save()
      show(ctx, messagePage('You are signed in', 'You can close this page.'))
    },
  }
}
