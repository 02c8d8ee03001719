import { doesNotThrow } from 'node:assert';
import { defineMarbles } from 'lobby-rx/marbles';

describe('<lobby-marbles>', () => {
  it('is not defined where there are no elements, as on a server that renders', () => {
    doesNotThrow(defineMarbles);
  });
});
