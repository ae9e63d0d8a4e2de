import { Hono } from 'hono'
import { html, type Markup, page } from '../page.ts'
import { parseZone, ZoneFault } from './zone-parser.ts'
import { plainName, type Zones } from './zones.ts'

export interface DnsParts {
  /** The zone text that the mail server asks for; undefined for a domain that it does not have. */
  readonly mailZone: (domain: string) => string | undefined
  /** Domains of the mail server. */
  readonly mailDomains: () => readonly string[]
  /** Below it the platform's operator publishes everything that the mail server asks for. */
  readonly platformDomain: string
  /** Where the mail servers of the local workplace are. */
  readonly mailHost: string
}

export interface DnsAppParts {
  readonly zones: Zones
  readonly parts: Pick<DnsParts, 'mailZone' | 'mailDomains' | 'platformDomain'>
  readonly changed: () => void
}

/**
 * The page on which a person plays the DNS provider: pasted records are what DNS returns. No
 * script.
 */
export function createDnsApp({ zones, parts, changed }: DnsAppParts): Hono {
  const app = new Hono()
  const show = (problem?: string, pasted?: { domain: string; zone: string }) => {
    const { body, headers } = page({
      title: 'DNS of the sandbox',
      wide: true,
      body: overview(zones, parts, problem, pasted),
    })
    return new Response(body, { status: problem === undefined ? 200 : 400, headers })
  }

  app.get('/', () => show())
  app.post('/zones', async (context) => {
    // Another site in the same browser must not be able to change a zone.
    const site = context.req.header('sec-fetch-site')
    if (site !== undefined && site !== 'same-origin') return context.text('Forbidden', 403)
    const form = await context.req.formData()
    const domain = plainName(String(form.get('domain') ?? '').trim())
    const act = String(form.get('act') ?? '')
    const zone = act === 'publish' ? (parts.mailZone(domain) ?? '') : String(form.get('zone') ?? '')
    if (!/^[a-z0-9_-]+(\.[a-z0-9_-]+)+$/.test(domain))
      return show('Name the domain, such as acme.example.', { domain, zone })
    if (act === 'remove') zones.remove(domain)
    else {
      try {
        zones.put(domain, parseZone(zone, domain))
      } catch (error) {
        if (!(error instanceof ZoneFault)) throw error
        return show(error.message, { domain, zone })
      }
    }
    changed()
    return context.redirect('/', 303)
  })
  return app
}

function overview(
  zones: Zones,
  parts: DnsAppParts['parts'],
  problem: string | undefined,
  pasted: { domain: string; zone: string } | undefined,
): Markup {
  const put = Object.entries(zones.list())
  const open = parts
    .mailDomains()
    .filter((domain) => !zones.list()[domain] && !domain.endsWith(`.${parts.platformDomain}`))
  return html`<h1>DNS</h1><p class="soft">You are the DNS provider. Domains below ${parts.platformDomain} are published by the platform.</p>
${problem !== undefined && html`<p class="alert" role="alert">${problem}</p>`}
<section class="card" aria-labelledby="paste"><h2 id="paste">Publish a zone</h2><p>Copy the records of a domain from the portal as zone text and paste them here. They replace what the domain had.</p>
<form method="post" action="/zones"><label for="domain">Domain</label><input id="domain" name="domain" value="${pasted?.domain}" placeholder="acme.example" required>
<label for="zone">Zone text</label><textarea id="zone" name="zone" rows="12" cols="80" spellcheck="false">${pasted?.zone}</textarea>
<div class="actions"><button name="act" value="put">Publish</button></div></form></section>
${open.map(
  (
    domain,
  ) => html`<section class="card" aria-label="${domain}"><h2>${domain}</h2><p>The mail server has this domain, and nothing is published. The proof of ownership is not among its records.</p>
<form method="post" action="/zones"><input type="hidden" name="domain" value="${domain}"><button name="act" value="publish">Publish what the mail server asks for</button></form></section>`,
)}
${put.map(
  ([domain, records]) => html`<section class="card" aria-label="${domain}"><h2>${domain}</h2>
<div class="scroll" role="region" aria-label="Records of ${domain}" tabindex="0"><table><thead><tr><th scope="col">Name</th><th scope="col">Type</th><th scope="col">Value</th></tr></thead><tbody>${records.map(
    (record) =>
      html`<tr><td><code>${record.name}</code></td><td>${record.type}</td><td><code>${record.value}</code></td></tr>`,
  )}</tbody></table></div>
<form method="post" action="/zones" class="actions"><input type="hidden" name="domain" value="${domain}"><button class="plain" name="act" value="remove">Publish nothing for ${domain}</button></form></section>`,
)}`
}
