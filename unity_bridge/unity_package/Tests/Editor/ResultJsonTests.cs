using System;
using System.Collections.Generic;
using System.Linq;
using NUnit.Framework;
using UnityBridge.Json;
using UnityBridge.Objects;

namespace UnityBridge.Tests
{
    public class ResultJsonTests
    {
        private enum Colour { Red }

        [Test]
        public void PlainValuesAreThemselves()
        {
            Assert.AreEqual("[null,true,1,2,3,\"c\",0.1,0.5,1.25,\"Red\",\"text\",\"NaN\",\"-Infinity\"]",
                Written(new object[] { null, true, (byte)1, 2, 3L, 'c', 0.1f, 0.5, 1.25m, Colour.Red, "text",
                    double.NaN, float.NegativeInfinity }));
        }

        [Test]
        public void FieldsAndAutomaticPropertiesAreReturned()
        {
            Assert.AreEqual("{\"x\":1,\"y\":2.5}", Written(new Point { x = 1, y = 2.5f }));
            Assert.AreEqual("{\"Name\":\"a\"}", Written(new Named { Name = "a" }));
            Assert.AreEqual("{\"a\":1,\"b\":{\"c\":null}}", Written(new { a = 1, b = new { c = (string)null } }));
            Assert.AreEqual("{\"Item1\":1,\"Item2\":\"b\"}", Written((1, "b")));
            Assert.AreEqual("{\"Item1\":1}", Written(Tuple.Create(1)));
        }

        [Test]
        public void ListsAndDictionariesAreArraysAndObjects()
        {
            Assert.AreEqual("[1,2]", Written(new[] { 1, 2 }));
            Assert.AreEqual("[2,4]", Written(new List<int> { 1, 2 }.Select(item => item * 2)));
            Assert.AreEqual("{\"1\":[],\"2\":[3]}",
                Written(new Dictionary<int, int[]> { { 1, new int[0] }, { 2, new[] { 3 } } }));
        }

        [Test]
        public void WhatIsEndlessOrPointsToItselfEnds()
        {
            var ring = new Ring();
            ring.Next = ring;
            Assert.AreEqual("{\"Next\":\"UnityBridge.Tests.ResultJsonTests+Ring\"}", Written(ring, isCut: true));
            Assert.IsTrue(Written(Endless(), isCut: true).Length < 200000);
            Assert.IsTrue(Written(new string('x', 1000000), isCut: true).Length < 200000);
        }

        [Test]
        public void OneObjectTwiceIsNoRing()
        {
            var one = new Named { Name = "a" };
            Assert.AreEqual("[{\"Name\":\"a\"},{\"Name\":\"a\"}]", Written(new[] { one, one }));
        }

        [Test]
        public void NoGetterWithCodeOfItsOwnIsCalled()
        {
            Assert.AreEqual("\"speaks\"", Written(new Throwing()));
        }

        private static string Written(object value, bool isCut = false)
        {
            var json = ResultJson.ToJson(value, out var cut);
            Assert.AreEqual(isCut, cut);
            return JsonWriter.Write(json);
        }

        private static IEnumerable<int> Endless()
        {
            while (true)
            {
                yield return 1;
            }
        }

        private struct Point
        {
            public float x, y;
        }

        private sealed class Named
        {
            public string Name { get; set; }
        }

        private sealed class Ring
        {
            public Ring Next;
        }

        private sealed class Throwing
        {
            public string Trap => throw new InvalidOperationException();

            public override string ToString() => "speaks";
        }
    }
}
