/** Of `users u`: what `PersonDetails` has. */
export const personColumns = [
  'u.email',
  'u.name',
  'u.first_name as firstName',
  'u.last_name as lastName',
  'u.phone',
  'u.alternative_email as alternativeEmail',
] as const
