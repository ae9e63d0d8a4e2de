/** Days. A claim whose ownership was not shown for so long is given up, so that nobody can sit on the domain of somebody else. */
export const claimDays = 14
