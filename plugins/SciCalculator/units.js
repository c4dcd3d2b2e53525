'use strict';
// The units that Convert knows. A row is [symbol, size, names…]: the size in the base unit of the dimension, as a
// fraction a/b of decimals, exact by definition. Names are lower case and stand for their plurals, too. A size
// that begins with "/pi " is the fraction that follows, divided by pi.
//
// Only units whose size is fixed by definition are here: nothing that is measured, and no currency.

const exact = require('./exact.js');
const { near } = require('./near.js');
const { code, Refusal } = require('./refusal.js');
const { Work } = require('./limits.js');

const dimensions = {
  length: [
    ['m', '1', 'metre', 'meter'], ['km', '1000', 'kilometre', 'kilometer'], ['dm', '0.1', 'decimetre', 'decimeter'],
    ['cm', '0.01', 'centimetre', 'centimeter'], ['mm', '0.001', 'millimetre', 'millimeter'],
    ['um', '1e-6', 'micrometre', 'micrometer', 'micron'], ['nm', '1e-9', 'nanometre', 'nanometer'], ['pm', '1e-12', 'picometre', 'picometer'],
    ['in', '0.0254', 'inch', 'inches'], ['ft', '0.3048', 'foot', 'feet'], ['yd', '0.9144', 'yard'], ['mi', '1609.344', 'mile'],
    ['nmi', '1852', 'nautical mile'], ['au', '149597870700', 'astronomical unit'], ['ly', '9460730472580800', 'light year', 'light-year'],
    ['pc', '/pi 96939420213600000', 'parsec'],
  ],
  mass: [
    ['kg', '1', 'kilogram', 'kilogramme'], ['g', '0.001', 'gram', 'gramme'], ['mg', '1e-6', 'milligram'], ['ug', '1e-9', 'microgram'],
    ['t', '1000', 'tonne', 'metric ton'], ['lb', '0.45359237', 'pound'], ['oz', '0.028349523125', 'ounce'], ['st', '6.35029318', 'stone'],
    ['gr', '0.00006479891', 'grain'], ['ct', '0.0002', 'carat'], ['ozt', '0.0311034768', 'troy ounce'],
    ['ton-us', '907.18474', 'short ton'], ['ton-uk', '1016.0469088', 'long ton'],
  ],
  time: [
    ['s', '1', 'second', 'sec'], ['ms', '0.001', 'millisecond'], ['us', '1e-6', 'microsecond'], ['ns', '1e-9', 'nanosecond'],
    ['min', '60', 'minute'], ['h', '3600', 'hour', 'hr'], ['d', '86400', 'day'], ['wk', '604800', 'week'],
    ['yr', '31557600', 'year', 'julian year'],
  ],
  temperature: [
    ['K', '1', 'kelvin'], ['°C', '1', 'c', 'degc', 'celsius', 'degree celsius', 'degrees celsius'],
    ['°F', '5/9', 'f', 'degf', 'fahrenheit', 'degree fahrenheit', 'degrees fahrenheit'], ['°R', '5/9', 'r', 'degr', 'rankine'],
  ],
  speed: [
    ['m/s', '1', 'metre per second', 'meter per second', 'metres per second', 'meters per second'],
    ['km/h', '1000/3600', 'kmh', 'kph', 'kilometres per hour', 'kilometers per hour'], ['mph', '0.44704', 'mi/h', 'miles per hour'],
    ['kn', '1852/3600', 'knot', 'kt'], ['ft/s', '0.3048', 'feet per second'], ['c', '299792458', 'speed of light'],
  ],
  area: [
    ['m2', '1', 'square metre', 'square meter', 'sqm'], ['km2', '1000000', 'square kilometre', 'square kilometer'],
    ['cm2', '0.0001', 'square centimetre', 'square centimeter'], ['mm2', '1e-6', 'square millimetre', 'square millimeter'],
    ['ha', '10000', 'hectare'], ['ac', '4046.8564224', 'acre'], ['in2', '0.00064516', 'square inch', 'square inches'],
    ['ft2', '0.09290304', 'square foot', 'square feet', 'sqft'], ['yd2', '0.83612736', 'square yard'], ['mi2', '2589988.110336', 'square mile'],
  ],
  volume: [
    ['m3', '1', 'cubic metre', 'cubic meter'], ['cm3', '1e-6', 'cubic centimetre', 'cubic centimeter', 'cc'], ['mm3', '1e-9', 'cubic millimetre', 'cubic millimeter'],
    ['l', '0.001', 'litre', 'liter'], ['dl', '0.0001', 'decilitre', 'deciliter'], ['cl', '0.00001', 'centilitre', 'centiliter'],
    ['ml', '1e-6', 'millilitre', 'milliliter'], ['hl', '0.1', 'hectolitre', 'hectoliter'],
    ['in3', '0.000016387064', 'cubic inch', 'cubic inches'], ['ft3', '0.028316846592', 'cubic foot', 'cubic feet'], ['yd3', '0.764554857984', 'cubic yard'],
    ['gal', '0.003785411784', 'gallon', 'us gallon'], ['qt', '0.000946352946', 'quart'], ['pt', '0.000473176473', 'pint'],
    ['cup', '0.0002365882365'], ['floz', '0.0000295735295625', 'fluid ounce', 'fl oz'], ['tbsp', '0.00001478676478125', 'tablespoon'],
    ['tsp', '0.00000492892159375', 'teaspoon'], ['gal-uk', '0.00454609', 'imperial gallon', 'uk gallon'], ['pt-uk', '0.00056826125', 'imperial pint', 'uk pint'],
    ['floz-uk', '0.0000284130625', 'imperial fluid ounce', 'uk fluid ounce'],
  ],
  force: [
    ['N', '1', 'newton'], ['kN', '1000', 'kilonewton'], ['dyn', '0.00001', 'dyne'], ['lbf', '4.4482216152605', 'pound-force'], ['kgf', '9.80665', 'kilogram-force'],
  ],
  pressure: [
    ['Pa', '1', 'pascal'], ['hPa', '100', 'hectopascal'], ['kPa', '1000', 'kilopascal'], ['MPa', '1000000', 'megapascal'], ['GPa', '1000000000', 'gigapascal'],
    ['bar', '100000'], ['mbar', '100', 'millibar'], ['atm', '101325', 'atmosphere'], ['psi', '4.4482216152605/0.00064516', 'pound per square inch', 'pounds per square inch'],
    ['Torr', '101325/760'], ['mmHg', '133.322387415'], ['inHg', '3386.388640341'],
  ],
  energy: [
    ['J', '1', 'joule'], ['kJ', '1000', 'kilojoule'], ['MJ', '1000000', 'megajoule'], ['GJ', '1000000000', 'gigajoule'],
    ['Wh', '3600', 'watt hour', 'watt-hour'], ['kWh', '3600000', 'kilowatt hour', 'kilowatt-hour'], ['MWh', '3600000000', 'megawatt hour', 'megawatt-hour'],
    ['cal', '4.184', 'calorie'], ['kcal', '4184', 'kilocalorie'], ['BTU', '1055.05585262', 'british thermal unit'],
    ['eV', '1.602176634e-19', 'electronvolt', 'electron volt'], ['keV', '1.602176634e-16', 'kiloelectronvolt'], ['MeV', '1.602176634e-13', 'megaelectronvolt'],
    ['erg', '1e-7'], ['ftlb', '1.3558179483314004', 'foot-pound', 'foot pound'],
  ],
  power: [
    ['W', '1', 'watt'], ['mW', '0.001', 'milliwatt'], ['kW', '1000', 'kilowatt'], ['MW', '1000000', 'megawatt'], ['GW', '1000000000', 'gigawatt'],
    ['hp', '745.69987158227022', 'horsepower'], ['PS', '735.49875', 'metric horsepower'], ['BTU/h', '1055.05585262/3600'],
  ],
  data: [
    ['bit', '1'], ['kbit', '1000', 'kilobit'], ['Mbit', '1000000', 'megabit'], ['Gbit', '1000000000', 'gigabit'], ['Tbit', '1000000000000', 'terabit'],
    ['B', '8', 'byte'], ['kB', '8000', 'kilobyte'], ['MB', '8000000', 'megabyte'], ['GB', '8000000000', 'gigabyte'],
    ['TB', '8000000000000', 'terabyte'], ['PB', '8000000000000000', 'petabyte'], ['KiB', '8192', 'kibibyte'], ['MiB', '8388608', 'mebibyte'],
    ['GiB', '8589934592', 'gibibyte'], ['TiB', '8796093022208', 'tebibyte'], ['PiB', '9007199254740992', 'pebibyte'],
  ],
  angle: [
    ['turn', '1', 'revolution', 'rev'], ['deg', '1/360', '°', 'degree'], ['grad', '1/400', 'gon'], ['arcmin', '1/21600', 'arcminute', 'minute of arc'],
    ['arcsec', '1/1296000', 'arcsecond', 'second of arc'], ['rad', '/pi 1/2', 'radian'], ['mrad', '/pi 1/2000', 'milliradian'],
  ],
};

// What is added to a temperature before its size counts it from absolute zero.
const zeros = { '°C': '273.15', '°F': '459.67' };

const bySymbol = new Map();
const byName = new Map();
for (const [dimension, rows] of Object.entries(dimensions)) {
  for (const [symbol, size, ...names] of rows) {
    const unit = { symbol, dimension, size, zero: zeros[symbol] };
    bySymbol.set(symbol, unit);
    for (const name of names) byName.set(name, unit);
  }
}

// spelled undoes ways to write a symbol: m², m^2, µm.
const spelled = (text) => text.trim().replace(/[\^]/g, '').replace(/²/g, '2').replace(/³/g, '3').replace(/[µμ]/g, 'u').replace(/\s+/g, ' ');

// find returns a unit by its symbol, in which case matters, or its name, in which it does not.
function find(text, target) {
  const symbol = spelled(text);
  const name = symbol.toLowerCase();
  const unit = bySymbol.get(symbol) ?? byName.get(name) ?? byName.get(name.replace(/s$/, ''));
  if (unit !== undefined) return unit;
  const similar = near(symbol, [...bySymbol.keys(), ...byName.keys()]);
  const hint = similar.length > 0 ? `; is ${similar.join(' or ')} meant?` : '';
  throw new Refusal(code.UNKNOWN_UNIT, `the unit ${JSON.stringify(text)} is not known${hint}`, { target, details: { unit: text, similar } });
}

// sizeOf is the size of a unit as an exact number without the pi in it, and whether there is one.
function sizeOf({ size }) {
  const overPi = size.startsWith('/pi ');
  const [n, d = '1'] = size.replace('/pi ', '').split('/');
  return { size: exact.divide(exact.parse(n), exact.parse(d), new Work()), overPi };
}

module.exports = { find, sizeOf, symbols: () => Object.entries(dimensions).map(([name, rows]) => [name, rows.map(([symbol]) => symbol)]) };
