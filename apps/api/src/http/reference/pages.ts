import { describeError, errorCodes } from '@atrium/core/platform/errors'
import { html } from 'hono/html'
import type { Answered, ApiDocument, Operation, Schema } from '../openapi-document.ts'
import { eventTypeLink } from './event-pages.ts'
import { exampleOf, resolved } from './examples.ts'
import { fieldList, fieldsOf } from './fields.ts'
import { type Html, page, type Section } from './page.ts'
import { prose } from './prose.ts'
import type { Listed } from './sample-request.ts'
import { requestSamples } from './samples.ts'
import { codesOf, matches, matchingEvents, scopesOf } from './search.ts'
import { sectionName } from './section-name.ts'
import { tryForm } from './try-form.ts'

export function sectionsOf(document: ApiDocument): Section[] {
  const all = Object.entries(document.paths).flatMap(([path, ofPath]) =>
    Object.entries(ofPath).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation,
    })),
  )
  const byTag = Map.groupBy(all, ({ operation }) => operation.tags[0] ?? 'other')
  return [...byTag]
    .map(([tag, operations]) => ({
      name: sectionName(tag),
      title: titleOf(tag),
      operations: operations.sort(byAddress),
    }))
    .sort((one, other) => one.title.localeCompare(other.title))
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
const byAddress = (one: Listed, other: Listed) =>
  one.path.localeCompare(other.path) || methods.indexOf(one.method) - methods.indexOf(other.method)

const abbreviations: Readonly<Record<string, string>> = {
  scim: 'Directories (SCIM)',
  sso: 'Single sign-on',
  mfa: 'Multi-factor sign-in',
}
const titleOf = (tag: string) =>
  abbreviations[tag] ?? `${tag.charAt(0).toUpperCase()}${tag.slice(1)}`

/**
 * The first page: what holds for every call, and all operations, or those that match what was
 * searched for.
 */
export function overview(
  document: ApiDocument,
  sections: readonly Section[],
  search: string,
): Html {
  const requested = search.toLowerCase().split(/\s+/).filter(Boolean)
  const found = sections
    .map((section) => ({
      ...section,
      operations: section.operations.filter((listed) => matches(document, listed, requested)),
    }))
    .filter(({ operations }) => operations.length > 0)
  const events = requested.length > 0 ? matchingEvents(document, requested) : []
  const count = found.reduce((sum, { operations }) => sum + operations.length, 0)
  const title = requested.length > 0 ? `Search: ${search}` : 'Overview'
  return page(
    title,
    sections,
    '',
    html`<h1>Atrium platform API</h1>
      <p class="lead">${document.info.description} This page is made from the <a href="/openapi.json">OpenAPI 3.1 document</a>.</p>
      ${requested.length > 0 ? html`<p>${count + events.length === 0 ? 'No operation matches. Try fewer words.' : `${count} ${count === 1 ? 'operation' : 'operations'}`}</p>` : basics}
      ${events.length > 0 ? html`<h2 id="webhook-events"><a href="/docs/webhook-events">Webhook events</a></h2><ul class="list events">${events.map(([type, { post }]) => eventTypeLink(type, post))}</ul>` : ''}
      ${found.map(
        ({
          name,
          title,
          operations,
        }) => html`<h2 id="${name}"><a href="/docs/${name}">${title}</a></h2>
        <ul class="list">
          ${operations.map(
            ({
              method,
              path,
              operation,
            }) => html`<li><a href="/docs/${name}#${operation.operationId}">
              ${methodOf(method)} <code>${path}</code> <span class="about">${operation.summary}${deprecatedOf(operation)}</span>
            </a></li>`,
          )}
        </ul>`,
      )}`,
    search,
  )
}

const basics = html`
  <h2>Authentication</h2>
  <p class="lead">Send <code>Authorization: Bearer &lt;token&gt;</code>: the access token of a person, or a service token (<code>atr_…</code>) that a portal made for a program. Each operation names the scopes that a service token needs, and says so when it needs no token.</p>
  <h2>Errors</h2>
  <p class="lead">Every error is an RFC 9457 problem (<code>application/problem+json</code>). Programs read <code>code</code>; see <a href="/docs/errors">all error codes</a>. <code>requestId</code> names the request in the log.</p>
  <h2>Lists</h2>
  <p class="lead">A list returns <code>items</code> and <code>nextCursor</code>. Pass it as <code>cursor</code> for the next page; null means the end.</p>
  <h2>Retries</h2>
  <p class="lead">Send an <code>Idempotency-Key</code> with a POST, and repeat it with the same key: it is carried out once. After 429 wait as long as <code>Retry-After</code> says.</p>
  <h2>Changes</h2>
  <p class="lead">Any release may add operations, fields and values: ignore what you do not know. A deprecated operation keeps working for at least a year; its responses have the headers <code>Deprecation</code> and <code>Sunset</code>.</p>`

/** A page with all operations of a section. */
export function sectionPage(
  document: ApiDocument,
  sections: readonly Section[],
  section: Section,
): Html {
  return page(
    section.title,
    sections,
    section.name,
    html`<h1>${section.title}</h1>
      <ul class="list">
        ${section.operations.map(
          ({ method, path, operation }) => html`<li><a href="#${operation.operationId}">
            ${methodOf(method)} <code>${path}</code> <span class="about">${operation.summary}${deprecatedOf(operation)}</span>
          </a></li>`,
        )}
      </ul>
      ${section.operations.map((listed) => operationOf(document, listed))}`,
  )
}

const methodOf = (method: string) =>
  html`<span class="method ${method.toLowerCase()}">${method}</span>`

const deprecatedOf = ({ deprecated }: Operation) =>
  deprecated ? html` <strong class="deprecated">Deprecated</strong>` : ''

function operationOf(document: ApiDocument, listed: Listed): Html {
  const { method, path, operation } = listed
  const { parameters, requestBody } = operation
  const places = [
    ['path', 'Path parameters'],
    ['query', 'Query parameters'],
    ['header', 'Headers'],
  ] as const
  const body = requestBody?.content['application/json'].schema
  const [status, response] = successOf(operation)
  const result = (
    response?.content?.['application/json'] ?? response?.content?.['application/scim+json']
  )?.schema
  return html`<section class="operation" id="${operation.operationId}" aria-labelledby="${operation.operationId}-title ${operation.operationId}-route">
    <div class="head">
      <h2 id="${operation.operationId}-title">${operation.summary}</h2>
      <p class="route" id="${operation.operationId}-route">${methodOf(method)} <code>${path}</code>${deprecatedOf(operation)}</p>
      <p class="lead">${tokenOf(operation)}${operation.description === undefined ? '' : html` ${prose(operation.description)}`}</p>
    </div>
    <div>
      ${places.map(([place, title]) => {
        const those = parameters.filter((one) => one.in === place)
        return those.length > 0 ? html`<h3>${title}</h3>${fieldList(document, those)}` : ''
      })}
      ${requestBody && body ? html`<h3>Body${requestBody.required ? '' : ' (optional)'}</h3>${fieldsOf(document, body)}` : ''}
      <h3>Returns</h3>
      <p><strong>${status}</strong> ${response?.description ?? ''}${typesOf(response)}</p>
      ${result && hasFields(document, result) ? html`<details><summary>Fields of the response</summary>${fieldsOf(document, result)}</details>` : ''}
      <h3>Errors</h3>
      ${errorsOf(document, operation)}
      ${tryForm(document, listed)}
    </div>
    <div class="samples">
      ${requestSamples(document, listed).map(
        (
          { language, text },
          at,
        ) => html`<details class="sample" name="${operation.operationId}" data-language="${language}"${at === 0 ? ' open' : ''}>
          <summary>${language}</summary><pre>${text}</pre>
        </details>`,
      )}
      ${result ? html`<div class="sample"><h4>Response ${status}</h4>${responseSample(JSON.stringify(exampleOf(document, result), null, 2))}</div>` : ''}
    </div>
  </section>`
}

function tokenOf(operation: Operation): string | Html {
  const { security } = operation
  if (security.length === 0) return 'Needs no token.'
  if (security.some((one) => 'mailedLink' in one)) return 'Needs the token of a mailed link.'
  const scopes = scopesOf(operation)
  if (scopes.length > 0)
    return html`Needs an access token, or a service token with ${scopes.map((scope, at) => html`${at === 0 ? '' : ' and '}<a href="/docs?q=${scope}"><code>${scope}</code></a>`)}.`
  return security.some((one) => 'serviceToken' in one)
    ? 'Needs a service token.'
    : 'Needs an access token.'
}

function successOf({ responses }: Operation): [string, Answered | undefined] {
  const [status = '', response] =
    Object.entries(responses).find(([one]) => one.startsWith('2')) ?? []
  return [status, response && !('$ref' in response) ? response : undefined]
}

const hasFields = (document: ApiDocument, schema: Schema) => {
  const { properties, anyOf = [] } = resolved(document, schema) as {
    properties?: object
    anyOf?: Schema[]
  }
  return (
    properties !== undefined ||
    anyOf.some((one) => resolved(document, one).properties !== undefined)
  )
}

function typesOf(response: Answered | undefined): Html | '' {
  const types = Object.keys(response?.content ?? {}).filter((type) => type !== 'application/json')
  if (types.length === 0) return ''
  return html`, ${response?.content?.['application/json'] ? 'also' : ''} as ${types.map((type, at) => html`${at === 0 ? '' : ' or '}<code>${type}</code>`)}`
}

function errorsOf(document: ApiDocument, { responses }: Operation): Html {
  const errors = Object.entries(responses).filter(([status]) => Number(status) >= 400)
  return html`<dl class="errors">
    ${errors.map(
      ([status, response]) => html`<div>
        <dt>${status}</dt>
        <dd>${errorLinks(codesIn(document, response))}</dd>
      </div>`,
    )}
  </dl>`
}

/** Errors of SCIM have no field for the code: their description names it. */
function codesIn(document: ApiDocument, response: Operation['responses'][string]): string[] {
  const codes = codesOf(document, response)
  if (codes.length > 0 || '$ref' in response) return codes
  return [...response.description.matchAll(/`(\w+)`: /g)].map(([, code = '']) => code)
}

const errorLinks = (codes: readonly string[]) =>
  codes.map((code) => html`<a href="/docs/errors#${code}"><code>${code}</code></a>`)

/** Long responses are collapsed: they would push the next operation away. */
function responseSample(text: string): Html {
  const lines = text.split('\n').length
  if (lines <= 40) return html`<pre>${text}</pre>`
  return html`<details><summary>Show ${lines} lines</summary><pre>${text}</pre></details>`
}

/** Every error code, where the `type` of a problem points. */
export function errorsPage(sections: readonly Section[]): Html {
  return page(
    'Error codes',
    sections,
    'errors',
    html`<h1>Error codes</h1>
      <p class="lead">Every error is an RFC 9457 problem whose <code>code</code> is one of these.</p>
      <dl class="codes">
        ${errorCodes.map((code) => {
          const { status, title } = describeError(code)
          return html`<div id="${code}"><dt><code>${code}</code></dt><dd>${status}</dd><dd>${title}</dd></div>`
        })}
      </dl>`,
  )
}
