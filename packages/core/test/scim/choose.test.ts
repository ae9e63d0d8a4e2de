import { describe, expect, it } from 'vitest'
import { chooseAttributes } from '../../src/scim/choose.ts'
import { scimSchemas } from '../../src/scim/schemas.ts'

const always = { schemas: [scimSchemas.user], id: '1' }
const user = {
  ...always,
  userName: 'mira@acme.example',
  nickName: null,
  name: { givenName: 'Mira', familyName: 'Malik' },
  emails: [
    { value: 'mira@acme.example', type: 'work' },
    { value: 'mira@home.example', type: 'home' },
  ],
  active: true,
}

describe('a resource', () => {
  it('is whole unless the caller chooses', () => {
    expect(chooseAttributes(user, {})).toEqual(user)
  })

  it.each([
    ['userName', { userName: user.userName }],
    ['USERNAME, active', { userName: user.userName, active: true }],
    [`${scimSchemas.user}:userName`, { userName: user.userName }],
    ['name', { name: user.name }],
    ['name.givenname', { name: { givenName: 'Mira' } }],
    ['name.givenName,name.familyName', { name: user.name }],
    ['emails.type', { emails: [{ type: 'work' }, { type: 'home' }] }],
    ['active.value,nickName.value', { active: true, nickName: null }],
    ['names.givenName', {}],
    ['id', {}],
    ['', {}],
  ])('has what is asked for with %j, and always its id and schemas', (attributes, chosen) => {
    expect(chooseAttributes(user, { attributes })).toEqual({ ...always, ...chosen })
  })

  it.each([
    ['emails, ACTIVE,nickName', { userName: user.userName, name: user.name }],
    [
      'name.familyName,emails.value,active,nickName.value',
      {
        userName: user.userName,
        nickName: null,
        name: { givenName: 'Mira' },
        emails: [{ type: 'work' }, { type: 'home' }],
      },
    ],
  ])('lacks what is excluded with %j', (excludedAttributes, left) => {
    expect(chooseAttributes(user, { excludedAttributes })).toEqual({ ...always, ...left })
  })

  it('keeps its id and schemas although they are excluded', () => {
    expect(chooseAttributes(user, { excludedAttributes: 'id,schemas,meta' })).toEqual(user)
  })

  it('has what is asked for where the caller excludes it too', () => {
    const choice = { attributes: 'userName', excludedAttributes: 'userName' }
    expect(chooseAttributes(user, choice)).toEqual({ ...always, userName: user.userName })
  })
})
